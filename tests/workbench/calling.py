"""Call the HTTP interface as a user does: paths of the two projects, log in, tokens."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from satc.workbench.web.access.accounts import new_token

BASE = "/api/v1/projects/claims"
TEAM = "/api/v1/projects/team"
PASSWORD = "correct horse battery"  # noqa: S105


def run_async(coroutine):
    """Run a coroutine in a thread of its own: the thread of the tests may have a running loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def labels_of(made, i):
    return np.flatnonzero(made.y_true[i]).tolist()


def log_in(client, name, password=PASSWORD):
    return client.post("/login", data={"name": name, "password": password})


def csrf(client):
    return {"X-CSRF-Token": client.get("/api/v1/me").json()["csrf_token"]}


def bearer(app, name):
    return {"Authorization": f"Bearer {new_token(app.state.open_projects.store, name)}"}
