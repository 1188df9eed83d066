"""Projects behind the web application, and people who call them: one alone, and a team."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from fastapi.testclient import TestClient
from projects_made import make, make_project

from satc.workbench.store import open_store
from satc.workbench.web.accounts import add_user, new_token
from satc.workbench.web.app import make_app

BASE = "/api/v1/projects/claims"
TEAM = "/api/v1/projects/team"
PASSWORD = "correct horse battery"  # noqa: S105


def labels_of(made, i):
    return np.flatnonzero(made.y_true[i]).tolist()


def log_in(client, name, password=PASSWORD):
    return client.post("/login", data={"name": name, "password": password})


def csrf(client):
    return {"X-CSRF-Token": client.get("/api/v1/me").json()["csrf_token"]}


def bearer(app, name):
    return {"Authorization": f"Bearer {new_token(app.state.open_projects.store, name)}"}


@pytest.fixture
def made():
    return make(n=40)


@pytest.fixture(scope="session")
def files_made(tmp_path_factory):
    """Both projects as files, made once: hashing passwords takes its time."""
    folder = tmp_path_factory.mktemp("made")
    columns = {"price": [f"={i}" for i in range(40)]}
    make_project(make(n=40), folder / "claims.satc", columns=columns)
    make_project(make(n=40), folder / "team.satc")
    store = open_store(folder / "team.satc")
    add_user(store, "ann", "annotator", PASSWORD)
    add_user(store, "max", "manager", PASSWORD)
    store.close()
    return folder


def _served(file, folder):
    store = open_store(shutil.copy(file, folder))
    store.lock()
    yield make_app(store, estimating=False)
    store.close()


@pytest.fixture
def app(files_made, tmp_path):
    yield from _served(files_made / "claims.satc", tmp_path)


@pytest.fixture
def team(files_made, tmp_path):
    """A project of ann, who is an annotator, and max, a manager."""
    yield from _served(files_made / "team.satc", tmp_path)


@pytest.fixture
def client(app):
    """The only person there is."""
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        yield client


@pytest.fixture
def stranger(team):
    """Somebody on the network, before they have logged in."""
    with TestClient(team, base_url="http://workbench.example", follow_redirects=False) as client:
        yield client
