"""Projects behind the web application: one for a single user, and one for a team."""

from __future__ import annotations

import shutil

import pytest
from argon2 import PasswordHasher
from calling import PASSWORD
from fastapi.testclient import TestClient
from projects_made import make, make_project

from satc.workbench.store import open_store
from satc.workbench.web.access import passwords
from satc.workbench.web.access.accounts import add_user
from satc.workbench.web.app import make_app


@pytest.fixture(scope="session", autouse=True)
def fast_hashes():
    """Hash passwords with little work: many tests log in, and a real hash takes 0.2 s."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(passwords, "_hasher", cheap)
        yield


@pytest.fixture
def made():
    return make(n=40)


@pytest.fixture(scope="session")
def files_made(tmp_path_factory):
    """Return a folder with both projects; each is made once."""
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
    """Serve the project of a single user."""
    yield from _served(files_made / "claims.satc", tmp_path)


@pytest.fixture
def team(files_made, tmp_path):
    """Serve a project of ann, an annotator, and max, a manager."""
    yield from _served(files_made / "team.satc", tmp_path)


@pytest.fixture
def client(app):
    """Return the client of the single user."""
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        yield client


@pytest.fixture
def stranger(team):
    """Return a client of the team's project that has not logged in."""
    with TestClient(team, base_url="http://workbench.example", follow_redirects=False) as client:
        yield client
