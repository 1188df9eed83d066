"""A project of claims behind the web application, and somebody who calls it."""

from __future__ import annotations

import numpy as np
import pytest
from fastapi.testclient import TestClient
from projects_made import make, make_project

from satc.workbench.app import make_app
from satc.workbench.store import open_store

BASE = "/api/v1/projects/claims"


def labels_of(made, i):
    return np.flatnonzero(made.y_true[i]).tolist()


@pytest.fixture
def made():
    return make(n=40)


@pytest.fixture
def app(made, tmp_path):
    path = tmp_path / "claims.satc"
    make_project(made, path, columns={"price": [f"={i}" for i in range(40)]})
    store = open_store(path)
    store.lock()
    yield make_app(store, estimating=False)
    store.close()


@pytest.fixture
def client(app):
    """The only person there is."""
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.access.link_key}"
        yield client
