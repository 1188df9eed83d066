"""The API of projects in which every document has exactly one label."""

import shutil
import time

import pytest
from fastapi.testclient import TestClient
from projects_made import make, make_project, make_single, write_files

from satc.workbench.store import open_store
from satc.workbench.web.app import make_app

BASE = "/api/v1/projects/tickets"
EXACTLY = "labels must be exactly one class"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("one") / "tickets.satc"
    return make_project(make_single(), path, task="single-label")


@pytest.fixture
def client(file, tmp_path):
    store = open_store(shutil.copy(file, tmp_path))
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        yield client
    store.close()


@pytest.mark.parametrize("labels", [[], [0, 2]])
def test_the_api_says_that_one_class_must_be_sent(client, labels):
    given = client.post(f"{BASE}/next").json()["assignment"]
    answer = client.post(f"{BASE}/leases/{given['lease']}/decision", json={"labels": labels})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(EXACTLY)
    assert client.get(f"{BASE}/status").json()["n_validated"] == 0
    saved = client.post(f"{BASE}/leases/{given['lease']}/decision", json={"labels": [3]})
    assert saved.status_code == 200
    path = f"{BASE}/documents/{given['document']['index']}/decision"
    assert client.put(path, json={"labels": labels}).status_code == 422
    assert client.put(path, json={"labels": [1]}).status_code == 200


def test_the_api_tells_the_task(client):
    assert client.get(BASE).json()["task"] == "single-label"
    line = client.get("/api/v1/projects").json()["projects"][0]
    assert line["task"] == "single-label"
    described = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
    assert described["ProjectOut"]["properties"]["task"]["enum"] == ["multi-label", "single-label"]


def upload(client, folder, name, made, **fields):
    """Create a project from scores over HTTP; return its line in the list when it has ended."""
    files = {part: path.open("rb") for part, path in write_files(made, folder / name).items()}
    sent = {"name": name, "method": "u-theoretic"} | fields
    answer = client.post("/api/v1/projects", data=sent, files=files)
    for file in files.values():
        file.close()
    assert answer.status_code == 202, answer.text
    while True:
        lines = client.get("/api/v1/projects").json()["projects"]
        line = next((one for one in lines if one["name"] == name), None)
        if line is not None and line["state"] != "creating":
            return line
        time.sleep(0.05)


def test_the_task_of_an_upload_is_inferred_from_its_labels(client, tmp_path):
    line = upload(client, tmp_path, "single", make_single(n=8))
    assert (line["error"], line["task"]) == (None, "single-label")
    line = upload(client, tmp_path, "several", make(n=8))
    assert (line["error"], line["task"]) == (None, "multi-label")


def test_the_task_of_an_upload_can_be_overridden(client, tmp_path):
    line = upload(client, tmp_path, "given", make_single(n=8), task="multi-label")
    assert (line["error"], line["task"]) == (None, "multi-label")
    failed = upload(client, tmp_path, "wrong", make(n=8), task="single-label")
    assert failed["state"] == "failed"
    assert "y_train must have exactly one label in every row" in failed["error"]


def test_an_unknown_task_of_an_upload_is_refused(client, tmp_path):
    paths = write_files(make_single(n=8), tmp_path / "both")
    files = {part: path.read_bytes() for part, path in paths.items()}
    sent = {"name": "both", "task": "both"}
    answer = client.post("/api/v1/projects", data=sent, files=files)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("task: Input should be 'multi-label' or")
