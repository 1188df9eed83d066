"""The short ways to `next` and `decision` answer exactly as FastAPI does."""

import json
import shutil
from contextlib import ExitStack, closing, contextmanager

import pytest
from calling import PASSWORD, TEAM, bearer, csrf, log_in
from fastapi.testclient import TestClient

from satc.workbench.store import Store, open_store
from satc.workbench.web.api import short_routes
from satc.workbench.web.api.short_routes import ShortRoute
from satc.workbench.web.app import make_app

DECISION = {"labels": [0, 2], "seconds": 1.5}
VARYING = ("x-request-id", "set-cookie")  # they differ from request to request


@contextmanager
def served_twice(file, folder):
    """Serve two copies of a project: one with the short ways, and one without them."""
    with ExitStack() as stack:
        clients = []
        for name in ("short", "usual"):
            (folder / name).mkdir()
            store = stack.enter_context(closing(open_store(shutil.copy(file, folder / name))))
            store.lock()
            app = make_app(store, estimating=False)
            if name == "usual":
                routes = app.router.routes
                routes[:] = [route for route in routes if not isinstance(route, ShortRoute)]
            client = stack.enter_context(TestClient(app))
            client.ann = bearer(app, "ann")
            client.desk = app.state.open_projects.open("team").desk
            clients.append(client)
        yield clients


@pytest.fixture(scope="module")
def sites(files_made, tmp_path_factory):
    """Serve a project by both ways, to all tests that leave no lease behind."""
    with served_twice(files_made / "team.satc", tmp_path_factory.mktemp("both")) as clients:
        yield clients


@pytest.fixture
def new_sites(files_made, tmp_path):
    with served_twice(files_made / "team.satc", tmp_path) as clients:
        yield clients


@pytest.fixture
def answered(monkeypatch):
    """Note what the short ways answer; None if they leave a request to FastAPI."""
    found = []

    class Noting(ShortRoute):
        def __init__(self, app, path, answer):
            async def noted(request, project):
                found.append(await answer(request, project))
                return found[-1]

            super().__init__(app, path, noted)

    monkeypatch.setattr(short_routes, "ShortRoute", Noting)
    return found


def seen(answer, lease=""):
    """Return what a client can tell from an answer."""
    headers = {name: value for name, value in answer.headers.items() if name not in VARYING}
    body = answer.text.replace(lease, "LEASE") if lease else answer.text
    return answer.status_code, headers, body


def next_lease(client):
    answer = client.post(f"{TEAM}/next", headers=client.ann)
    found = answer.json()["assignment"]
    return answer, found["lease"], found["expires"]


def decide(client, lease, sent=DECISION, path="leases/{}/decision", **options):
    options = {"headers": client.ann, "json": sent} | options
    if "content" in options:
        del options["json"]
    return client.post(f"{TEAM}/{path}".format(lease), **options)


def test_ordinary_requests_get_the_same_answers(answered, new_sites):
    for _ in range(3):
        both = []
        for client in new_sites:
            given, lease, expires = next_lease(client)
            status, headers, body = seen(given, lease)
            first = status, headers, body.replace(expires, "END")
            both.append((first, seen(decide(client, lease))))
        assert both[0] == both[1]
        assert both[0][1][0] == 200
    assert len(answered) == 6
    assert None not in answered


STRANGE = {
    "no JSON": {"content": b"{"},
    "not UTF-8": {"content": b'{"labels": ["\xff"]}'},
    "no body": {"content": b""},
    "another type of content": {"content": json.dumps(DECISION), "type": "text/plain"},
    "no type of content": {"content": json.dumps(DECISION), "type": None},
    "a type with a parameter": {
        "content": json.dumps(DECISION),
        "type": "application/json; charset=utf-8",
    },
    "deep JSON": {"content": b"[" * 100_000},
    "a list": {"content": b"[1]"},
    "an unknown field": {"sent": {**DECISION, "who": "max"}},
    "a label of another type": {"sent": {"labels": ["0"]}},
    "a label that is no class": {"sent": {"labels": [99]}},
    "not a number": {"content": b'{"labels": [0], "seconds": NaN}'},
    "an unknown lease": {"lease": "nobody"},
    "a long lease": {"lease": "x" * 41},
    "a slash at the end": {"path": "leases/{}/decision/"},
    "a wrong token": {"headers": {"Authorization": "Bearer wrong"}},
    "no token": {"headers": {}},
    "German": {"headers": {"Accept-Language": "de"}},
}


@pytest.mark.parametrize("case", STRANGE)
def test_other_requests_get_the_same_answers(sites, case):
    both = []
    for client in sites:
        _, lease, _ = next_lease(client)
        given = dict(STRANGE[case])
        headers = given.pop("headers", client.ann)
        kind = given.pop("type", "application/json")
        if "content" in given and kind is not None:
            headers = {**headers, "Content-Type": kind}
        answer = decide(client, given.pop("lease", lease), headers=headers, **given)
        both.append(seen(answer, lease))
        client.delete(f"{TEAM}/leases/{lease}", headers=client.ann)
    assert both[0] == both[1]


def test_a_repeated_decision_gets_the_same_answers(sites):
    both = []
    for client in sites:
        _, lease, _ = next_lease(client)
        sent = (DECISION, DECISION, {"labels": [1]})
        both.append([seen(decide(client, lease, one)) for one in sent])
    assert both[0] == both[1]
    assert [status for status, *_ in both[0]] == [200, 200, 409]


@pytest.mark.parametrize("name", ["unknown", "x" * 101, "a%2Fb"])
def test_projects_that_do_not_exist_get_the_same_answers(sites, name):
    path = f"/api/v1/projects/{name}/next"
    short, usual = (seen(client.post(path, headers=client.ann)) for client in sites)
    assert short == usual


def test_a_page_needs_its_token_by_both_ways(new_sites):
    both = []
    for client in new_sites:
        log_in(client, "ann", PASSWORD)
        refused = client.post(f"{TEAM}/next")
        given = client.post(f"{TEAM}/next", headers=csrf(client))
        both.append((seen(refused), given.status_code))
    assert both[0] == both[1]
    assert (both[0][0][0], both[0][1]) == (403, 200)


def test_nothing_is_read_for_a_document_that_was_just_leased(new_sites, monkeypatch):
    short, _ = new_sites
    next_lease(short)

    def none(store):
        raise AssertionError("the store is read")

    monkeypatch.setattr(Store, "reading", none)
    answer, _, _ = next_lease(short)
    assert answer.json()["assignment"]["document"]["text"]


def test_when_no_document_is_left_the_reason_is_the_same(new_sites):
    both = []
    for client in new_sites:
        while (lease := client.desk.next("max")[0]) is not None:
            client.desk.submit(lease.lease, "max", [1], 1.0)
        german = {**client.ann, "Accept-Language": "de"}
        both.append(
            [seen(client.post(f"{TEAM}/next", headers=one)) for one in (client.ann, german)]
        )
    assert both[0] == both[1]
    assert both[0][0] != both[0][1]
