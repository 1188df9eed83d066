"""A server answers before its projects are open, and says what it is doing."""

import threading

import pytest
from calling import BASE
from fastapi.testclient import TestClient

from satc.errors import DataError
from satc.workbench.messages import Message
from satc.workbench.review.opening import Opening, Openings
from satc.workbench.store import open_store
from satc.workbench.web.app import make_app
from satc.workbench.web.starting import StartingApp


@pytest.fixture
def slow(files_made, tmp_path, monkeypatch):
    """An application whose project goes on opening until the event is set."""
    import shutil

    from satc.workbench.project import opening

    may_go_on, reading = threading.Event(), opening.read_scores

    def read_scores(*arguments):
        may_go_on.wait()
        return reading(*arguments)

    monkeypatch.setattr(opening, "read_scores", read_scores)
    store = open_store(shutil.copy(files_made / "claims.satc", tmp_path))
    store.lock()
    app = make_app(store, estimating=False, in_background=True)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        yield client, may_go_on
        may_go_on.set()
        wait_until_open(app)
    store.close()


def wait_until_open(app):
    if (opening := app.state.open_projects.begin("claims")) is not None:
        opening.wait()


def step_of(client, wanted):
    """Ask until the server is at a step."""
    while (answer := client.get(f"{BASE}/status")).json().get("detail") != wanted:
        assert answer.status_code == 503
    return answer


def test_a_project_that_is_being_opened_says_so(slow):
    client, may_go_on = slow
    answer = step_of(client, "The project is being opened. Reading 40 documents.")
    assert answer.headers["retry-after"] == "1"
    page = client.get("/p/claims")
    assert page.status_code == 503
    assert "Reading 40 documents." in page.text
    assert "/static/opening/opening.js" in page.text
    may_go_on.set()
    wait_until_open(client.app)
    assert client.get(f"{BASE}/status").status_code == 200
    assert client.get("/p/claims").status_code == 200


def test_an_unknown_project_is_not_found_while_others_are_opened(slow):
    client, _ = slow
    assert client.get("/api/v1/projects/other/status").status_code == 404
    assert client.get("/p/other").status_code == 404


def test_the_step_is_said_in_the_language_of_the_reader(slow):
    client, _ = slow
    answer = client.get("/p/claims", headers={"Accept-Language": "de"})
    assert 'lang="de"' in answer.text


def test_the_steps_are_told_in_order(client):
    told = []
    projects = client.app.state.open_projects
    projects.open("claims", lambda step: told.append(str(step)))
    assert told == ["Reading 40 documents.", "Fitting the probabilities.", "Ranking the documents."]


def test_an_error_is_told_and_the_attempt_is_repeated_later(monkeypatch):
    from satc.workbench.review import opening as module

    openings = Openings()

    def fail(report):
        report(Message("server.opening_fitting"))
        raise DataError("the file is damaged\nsomewhere")

    first = openings.begin("claims", fail)
    first.wait()
    assert str(first.say()) == "The project cannot be opened: the file is damaged"
    assert openings.begin("claims", fail) is first
    monkeypatch.setattr(module, "_RETRY_SECONDS", -1.0)
    second = openings.begin("claims", lambda report: None)
    second.wait()
    assert second is not first
    assert second.error is None


def test_a_project_is_opened_by_one_thread():
    openings, may_end, count = Openings(), threading.Event(), []

    def work(report):
        count.append(1)
        may_end.wait()

    first = openings.begin("claims", work)
    assert openings.begin("claims", work) is first
    may_end.set()
    first.wait()
    assert count == [1]


def test_an_opening_begins_with_a_step():
    assert str(Opening().say()) == str(Opening().tell()) == "The project is being opened."


def test_other_pages_are_told_that_the_project_is_being_opened():
    opening = Opening()
    opening.step = Message("server.opening_fitting")
    assert str(opening.tell()) == "The project is being opened. Fitting the probabilities."


def test_a_server_that_is_starting_answers():
    starting = StartingApp()
    client = TestClient(starting, base_url="http://127.0.0.1")
    page = client.get("/p/claims?document=3")
    assert (page.status_code, page.headers["refresh"]) == (503, "1")
    assert "The server is starting." in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    answer = client.post("/api/v1/projects/claims/next")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["detail"].startswith("The server is starting.")
    assert "Refresh" not in answer.headers


def test_a_server_that_has_started_passes_requests_on(app):
    starting = StartingApp()
    starting.app = app
    client = TestClient(starting, base_url="http://127.0.0.1")
    assert client.get(f"{BASE}/status").status_code == 401
