"""Health, metrics and the access log: what administrators see, and what nobody does."""

from __future__ import annotations

import json
import re
import stat
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from calling import BASE, PASSWORD, TEAM, bearer, log_in
from fastapi.testclient import TestClient
from projects_made import make, make_project
from prometheus_client.parser import text_string_to_metric_families
from serving import Site
from starlette.requests import HTTPConnection

from satc.workbench.store import StoreError, open_store
from satc.workbench.web.access.accounts import add_user, new_token
from satc.workbench.web.app import make_app
from satc.workbench.web.observing.access_log import AccessLog
from satc.workbench.web.observing.observation import Observation
from satc.workbench.web.observing.readiness import Readiness
from satc.workbench.web.observing.requests import Observed
from satc.workbench.web.server import ServerError, open_log
from satc.workbench.web.starting import starting_response

MADE = make(n=20)


def figures(page):
    """Return the value of each sample, with its labels by their names."""
    return {
        (one.name, tuple(value for _, value in sorted(one.labels.items()))): one.value
        for family in text_string_to_metric_families(page)
        for one in family.samples
    }


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Serve a project of a team, with an access log and a port for metrics."""
    path = tmp_path_factory.mktemp("observed") / "team.satc"
    make_project(MADE, path)
    with closing(open_store(path)) as store:
        add_user(store, "ann", "annotator", PASSWORD)
        add_user(store, "max", "manager", PASSWORD)
        token = new_token(store, "max")
    site = ObservedSite(path)
    site.token = token
    yield site
    site.stop()


class ObservedSite(Site):
    """A server with both options."""

    def start(self):
        self.log = Path(self.arguments[0]).with_name("access.log")
        self.arguments += ["--access-log", str(self.log), "--metrics-port", "0"]
        super().start()


# Health


@pytest.mark.parametrize(("path", "said"), [("/healthz", "ok\n"), ("/readyz", "ready\n")])
def test_programs_learn_without_a_login_whether_the_server_works(stranger, path, said):
    answer = stranger.get(path)
    assert (answer.status_code, answer.text) == (200, said)


@pytest.mark.parametrize(("path", "code"), [("/healthz", 200), ("/readyz", 503)])
@pytest.mark.parametrize("root", ["", "/tools/satc"])
def test_a_server_that_starts_is_healthy_and_not_ready(path, code, root):
    scope = {"type": "http", "path": root + path, "root_path": root, "headers": []}
    assert starting_response(HTTPConnection(scope)).status_code == code


def test_a_server_is_not_ready_until_its_projects_are_open(team, stranger):
    team.state.observation.readiness.is_opened = False
    answer = stranger.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready\n")
    assert answer.headers["retry-after"] == "1"
    assert stranger.get("/healthz").status_code == 200


def test_a_server_whose_file_is_gone_is_not_ready(stranger, tmp_path):
    (tmp_path / "team.satc").rename(tmp_path / "elsewhere")
    answer = stranger.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready\n")


def test_a_server_whose_database_is_gone_is_not_ready_and_says_no_more(made, cluster):
    location = cluster.new_database()
    make_project(made, location)
    store = open_store(location)
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        cluster.halt()
        answer = client.get("/readyz")
        assert (answer.status_code, answer.text) == (503, "not ready\n")
        cluster.start()
        app.state.observation.readiness = Readiness(store)
        assert client.get("/readyz").status_code == 200
    store.close()


# Metrics


def test_metrics_are_read_while_the_database_is_gone(client, app, monkeypatch):
    def gone(*_, **__):
        raise StoreError("claims.satc: gone")

    client.post(f"{BASE}/next")
    monkeypatch.setattr(app.state.open_projects.store, "reading", gone)
    found = figures(client.get("/metrics").text)
    assert found["satc_store_usable", ()] == 0
    assert found["satc_open_leases", ("claims",)] == 1


@pytest.mark.parametrize(("who", "code"), [(None, 401), ("ann", 403), ("max", 200)])
def test_metrics_are_for_managers(team, stranger, who, code):
    headers = {} if who is None else bearer(team, who)
    assert stranger.get("/metrics", headers=headers).status_code == code


def test_metrics_tell_decisions_documents_and_leases(client):
    lease = client.post(f"{BASE}/next").json()["assignment"]["lease"]
    client.post(f"{BASE}/leases/{lease}/decision", json={"labels": [0]})
    client.post(f"{BASE}/next")
    found = figures(client.get("/metrics").text)
    assert found["satc_decisions_total", ("decide", "claims")] == 1
    assert found["satc_documents", ("claims",)] == 40
    assert found["satc_documents_checked", ("claims",)] == 1
    assert found["satc_open_leases", ("claims",)] == 1
    assert found["satc_store_usable", ()] == 1
    assert [name for name, _ in found if name == "satc_build_info"]
    client.post(f"{BASE}/undo")
    again = figures(client.get("/metrics").text)
    assert again["satc_decisions_total", ("decide", "claims")] == 1
    assert again["satc_decisions_total", ("undo", "claims")] == 1


def test_metrics_tell_the_live_estimate(app, client):
    project = app.state.open_projects.open("claims")
    assert not [1 for name, _ in figures(client.get("/metrics").text) if "estimate" in name]
    project.live_accuracy.prepare()
    point = project.live_accuracy.latest()
    found = figures(client.get("/metrics").text)
    for end, value in (("", "value"), ("_low", "low"), ("_high", "high")):
        name = f"satc_accuracy_estimate{end}"
        assert found[name, ("macro", "f1", "claims")] == getattr(point.macro, value)
        assert found[name, ("micro", "f1", "claims")] == getattr(point.micro, value)


def test_two_servers_in_one_process_do_not_share_metrics(app, team):
    assert app.state.observation.registry is not team.state.observation.registry


@pytest.fixture
def observed(app, tmp_path):
    """Return a client whose requests are observed and logged, and a function that reads the log."""
    store, path = app.state.open_projects.store, tmp_path / "access.log"
    log = AccessLog(path)
    observation = app.state.observation = Observation(store, access_log=log)

    def lines():
        log.close()
        return [json.loads(line) for line in path.read_text().splitlines()]

    with TestClient(Observed(app, observation), base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        yield client, lines


def test_requests_are_timed_by_route_and_never_by_path(observed, app):
    client, _ = observed
    client.get(f"{BASE}/documents/7")
    client.get(f"{BASE}/documents/8")
    client.get("/static/theme.css")
    client.get("/somewhere/else")
    client.request("BREW", "/login")
    found = figures(client.get("/metrics").text)
    name = "satc_http_request_duration_seconds_count"
    document = "/api/v1/projects/{name}/documents/{index}"
    assert found[name, ("GET", document, "200")] == 2
    assert found[name, ("GET", "/static", "200")] == 1
    assert found[name, ("GET", "other", "404")] == 1
    assert [labels for n, labels in found if n == name and labels[0] == "other"]
    assert "somewhere" not in client.get("/metrics").text


def test_the_metrics_port_needs_no_login_and_shows_nothing_else(served):
    url = re.search(r"the metrics are at (http://[\d.:]+)/metrics", said(served))[1]
    answer = httpx.get(f"{url}/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert figures(answer.text)["satc_documents", ("team",)] == 20
    assert httpx.get(f"{url}/readyz").status_code == 200
    for other in ("/", "/login", "/api/v1/me", "/static/theme.css"):
        assert httpx.get(f"{url}{other}").status_code == 404
    assert httpx.get(f"{served.url}/metrics").status_code == 401


def said(site):
    """Return what the server has written to standard error."""
    site.errors.seek(0)
    return site.errors.read().decode()


# The access log


def test_a_line_tells_who_did_what_and_how_long_it_took(observed, app):
    client, lines = observed
    answer = client.get(f"{BASE}/documents/7?q=secret")
    (line,) = lines()
    assert line["route"] == "/api/v1/projects/{name}/documents/{index}"
    assert line["path"] == f"{BASE}/documents/7"
    assert (line["method"], line["status"], line["client"]) == ("GET", 200, "testclient")
    assert line["user"] == app.state.authenticator.identify_by_token(link_key(client)).name
    assert line["bytes"] == len(answer.content)
    assert line["milliseconds"] > 0
    assert line["request_id"] == answer.headers["x-request-id"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", line["time"])


def link_key(client):
    return client.headers["authorization"].split()[1]


def test_health_and_metrics_are_not_logged(observed):
    client, lines = observed
    for path in ("/healthz", "/readyz", "/metrics"):
        assert client.get(path).status_code == 200
    assert lines() == []


def test_an_error_of_the_server_is_logged_as_such(observed, app):
    @app.get("/breaks")
    def breaks():
        raise RuntimeError("inside")

    client, lines = observed
    with pytest.raises(RuntimeError, match="inside"):
        client.get("/breaks")
    assert [line["status"] for line in lines()] == [500]


@pytest.mark.parametrize("trusted", [True, False])
def test_the_id_of_a_request_comes_from_a_trusted_proxy_only(app, trusted):
    async def proxied(scope, receive, send):
        scope["state"] = {"from_trusted_proxy": trusted}
        await Observed(app, app.state.observation)(scope, receive, send)

    client = TestClient(proxied, base_url="http://127.0.0.1")
    found = client.get("/login", headers={"X-Request-Id": "abc-123"}).headers["x-request-id"]
    assert (found == "abc-123") == trusted


def test_a_log_that_was_moved_away_is_written_anew(app, tmp_path):
    path, moved = tmp_path / "access.log", tmp_path / "access.log.1"
    log = AccessLog(path)
    observation = Observation(app.state.open_projects.store, access_log=log)
    with TestClient(Observed(app, observation), base_url="http://127.0.0.1") as client:
        client.get("/login")
        while not path.read_text():
            pass
        path.rename(moved)
        client.get("/static/theme.css")
    log.close()
    assert json.loads(moved.read_text())["path"] == "/login"
    assert json.loads(path.read_text())["path"] == "/static/theme.css"


def test_lines_that_cannot_be_written_are_counted_and_disturb_nobody(app):
    full = open("/dev/full", "w")  # noqa: SIM115
    log = AccessLog(full)
    observation = Observation(app.state.open_projects.store, access_log=log)
    with TestClient(Observed(app, observation), base_url="http://127.0.0.1") as client:
        assert client.get("/login").status_code == 200
    log.close()
    with pytest.raises(OSError, match="No space"):
        full.close()
    assert log.n_lost == 1
    assert observation.registry.get_sample_value("satc_access_log_lost_lines") == 1


def test_a_log_that_cannot_be_opened_is_said(tmp_path):
    with pytest.raises(ServerError, match=r"access log .* cannot be opened: No such file"):
        open_log(tmp_path / "none" / "access.log")


def test_no_secret_is_in_the_log(served):
    text = MADE.texts[3]
    with httpx.Client(base_url=served.url) as client:
        secrets = work(client, served.token, text)
    served.wait_until(lambda: served.log.read_text().count("\n") >= 17)
    content = served.log.read_text()
    assert '"user": "ann"' in content
    for secret in (PASSWORD, served.token, text, "wrong-password", *secrets):
        assert len(secret) > 5
        assert secret not in content
    assert not re.search(r"[?&]|Bearer|satc_session|cookie", content, re.IGNORECASE)
    assert stat.S_IMODE(served.log.stat().st_mode) == 0o600


def work(client, token, text):
    """Do everything that has a secret in it; return the secrets."""
    log_in(client, "wrong-password", "wrong-password")
    log_in(client, "ann")
    csrf_token = client.get("/api/v1/me").json()["csrf_token"]
    page = {"X-CSRF-Token": csrf_token}
    lease = client.post(f"{TEAM}/next", headers=page).json()["assignment"]["lease"]
    client.post(f"{TEAM}/leases/{lease}/decision", headers=page, json={"labels": [0]})
    client.put(f"{TEAM}/documents/3/note", headers=page, json={"note": text})
    client.get(f"{TEAM}/documents", params={"q": text})
    session = next(iter(client.cookies.values()))
    client.cookies.clear()
    boss = {"Authorization": f"Bearer {token}"}
    sent = {"name": "eve", "role": "annotator"}
    invited = client.post("/api/v1/people/invitations", headers=boss, json=sent)
    key = invited.json()["path"].partition("key=")[2]
    for path in (f"/join?key={key}", f"/join/{key}", f"/enter?key={token}", f"/enter%3Fkey={key}"):
        client.get(path)
    client.post("/join", data={"key": key, "password": "another password", "repeated": "other"})
    kept = client.post(
        "/api/v1/preview", headers=boss, files={"file": ("d.csv", b"id,text\n1,words\n")}
    ).json()["token"]
    client.delete(f"/api/v1/preview/{kept}", headers=boss)
    client.get(f"{TEAM}/export", headers=boss)
    client.get("/login", params={"next": f"/join?key={key}"})
    return [csrf_token, lease, session, key, kept, "another password"]
