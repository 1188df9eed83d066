"""Attacks on the workbench, one after the other; docs/security.md lists them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from calling import PASSWORD, TEAM, bearer, log_in
from fastapi.testclient import TestClient
from projects_made import make, make_project

from satc.workbench.store import open_store
from satc.workbench.store.people.users import change_user, remove_tokens, remove_user
from satc.workbench.web import middleware
from satc.workbench.web.access import authentication, passwords
from satc.workbench.web.access.accounts import new_token
from satc.workbench.web.app import make_app

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "satc"
HOSTILE = "<script>hacked=1</script>\"'><img src=x onerror=hacked=1>"


def calls(app):
    """Every call of the API: its method and a path that could be."""
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            for name, value in {"name": "team", "index": "0", "lease": "x", "label": "0"}.items():
                path = path.replace(f"{{{name}}}", value)
            yield method.upper(), path


# Somebody on the network, without link, password or token


def test_no_call_of_the_api_answers_a_stranger(team, stranger):
    found = {(m, p): stranger.request(m, p).status_code for m, p in calls(team)}
    assert len(found) > 15
    assert set(found.values()) == {401}


def test_a_stranger_is_shown_the_door_and_nothing_else(stranger):
    assert stranger.get("/login").status_code == 200
    for path, login in (("/", "/login"), ("/p/team", "/login?next=/p/team")):
        assert stranger.get(path).headers["location"] == login
    for path in ("/docs", "/redoc", "/openapi.json", "/api/v1/openapi.json/x"):
        assert stranger.get(path).status_code == 404


def test_the_description_of_the_api_is_for_people_who_are_logged_in(team, stranger):
    path = "/api/v1/openapi.json"
    assert stranger.get(path).status_code == 401
    answer = stranger.get(path, headers=bearer(team, "ann"))
    assert answer.json()["paths"].keys() == team.openapi()["paths"].keys()


@pytest.mark.parametrize(
    ("address", "sent"),
    [
        ("https://workbench.example", True),
        ("http://workbench.example", False),
        ("https://localhost", False),
        ("https://127.0.0.1:8765", False),
    ],
)
def test_browsers_are_told_to_come_by_https_only(team, address, sent):
    with TestClient(team, base_url=address) as client:
        for path in ("/login", "/static/theme.css", "/api/v1/me", "/nothing"):
            found = client.get(path).headers.get("strict-transport-security")
            assert (found == "max-age=31536000") == sent


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:8765", 200),
        ("localhost:8765", 200),
        ("[::1]:8765", 200),
        ("evil.example", 400),
        ("127.0.0.1.evil.example", 400),
        ("localhost.evil.example:8765", 400),
        ("evil.example@127.0.0.1", 400),
        ("192.168.0.7", 400),
        ("0.0.0.0:8765", 400),
        ("", 400),
    ],
)
def test_a_name_that_is_not_the_machines_own_is_not_answered(host, code, app):
    with TestClient(app, base_url="http://127.0.0.1") as client:
        forwarded = {"X-Forwarded-Host": "127.0.0.1", "Forwarded": "host=127.0.0.1"}
        assert client.get("/login", headers={"Host": host, **forwarded}).status_code == code


def test_a_strangers_large_upload_is_refused_before_it_is_taken_in(team, stranger, monkeypatch):
    monkeypatch.setattr(middleware, "MAX_BODY_BYTES", 1000)
    sent = {"documents": ("d.csv", b"x" * 5000)}
    fields = {"name": "x"}
    assert stranger.post("/api/v1/projects", data=fields, files=sent).status_code == 413
    for name, code in (("ann", 413), ("max", 422)):  # ann may not, max sends neither scores
        who = bearer(team, name)
        answer = stranger.post("/api/v1/projects", data=fields, files=sent, headers=who)
        assert answer.status_code == code, answer.text


def test_a_body_that_does_not_say_its_length_is_cut_off(team, stranger, monkeypatch):
    monkeypatch.setattr(middleware, "MAX_BODY_BYTES", 10_000)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    many = (b"name=x&password=" if i == 0 else b"x" * 1000 for i in range(1000))
    assert stranger.post("/login", content=many, headers=form).status_code == 400


# Passwords and sessions


def test_an_unknown_name_takes_as_long_as_a_known_one(team, monkeypatch):
    passwords.is_password("guess", None)  # the first check makes the hash for unknown names
    checked = []

    class Counting:
        def verify(self, kept, given):
            checked.append(kept.split("$")[1:4])
            raise passwords.InvalidHashError

    monkeypatch.setattr(passwords, "_hasher", Counting())
    for name in ("ann", "nobody"):
        assert team.state.authenticator.log_in(name, "guess", "here") is None
    known, unknown = checked
    assert known == unknown  # the same kind of hash, as dear


def test_a_guess_costs_an_attacker_what_the_standard_asks_for():
    """In a process of its own: the other tests hash with little work."""
    code = "from satc.workbench.web.access.passwords import hash_password as h; print(h(8 * 'x'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # RFC 9106, low memory


def test_passwords_and_tokens_are_not_in_the_file(team, tmp_path):
    token = new_token(team.state.open_projects.store, "ann")
    content = b"".join(path.read_bytes() for path in tmp_path.glob("team.satc*"))
    assert b"argon2" in content
    assert PASSWORD.encode() not in content
    assert token.encode() not in content


def test_a_session_that_somebody_planted_is_not_taken_up(team, stranger):
    planted = "planted"
    stranger.cookies.set(team.state.authenticator.cookie_name, planted)
    assert stranger.get("/api/v1/me").status_code == 401
    session = log_in(stranger, "ann").cookies[team.state.authenticator.cookie_name]
    assert session != planted


def test_a_session_of_another_key_or_with_other_words_is_not_good(team, stranger, app):
    session = log_in(stranger, "ann").cookies[team.state.authenticator.cookie_name]
    stranger.cookies.clear()
    body, rest = session.split(".", 1)
    foreign = app.state.authenticator._new_session("max", "x")
    for forged in (f"{body}x.{rest}", f"{body}.{rest[:-1]}", f"{body}.", foreign):
        headers = {"Cookie": f"{team.state.authenticator.cookie_name}={forged}"}
        assert stranger.get("/api/v1/me", headers=headers).status_code == 401


def test_a_session_ends_after_a_week(team, stranger, monkeypatch):
    log_in(stranger, "ann")
    assert stranger.get("/api/v1/me").status_code == 200
    monkeypatch.setattr(authentication, "SESSION_SECONDS", -1)
    assert stranger.get("/api/v1/me").status_code == 401


def test_cookies_are_kept_from_scripts_other_sites_and_plain_connections(team):
    for scheme in ("http", "https"):
        with TestClient(team, base_url=f"{scheme}://workbench.example") as client:
            answer = client.post(
                "/login", data={"name": "ann", "password": PASSWORD}, follow_redirects=False
            )
        flags = answer.headers["set-cookie"].lower()
        assert "httponly" in flags
        assert "samesite=strict" in flags
        assert ("secure" in flags) == (scheme == "https")


@pytest.mark.slow
def test_a_name_is_never_part_of_a_query(stranger):
    for name in ("' OR '1'='1", "ann'--", 'ann" --', "ann\0", "%", "ann;DROP TABLE users"):
        assert log_in(stranger, name).status_code == 401
    assert log_in(stranger, "ann").status_code == 303
    for name in ("team'--", "' OR '1'='1", "%25", "_eam"):
        assert stranger.get(f"/api/v1/projects/{name}/status").status_code == 404


def test_the_way_after_the_login_is_ours_alone(stranger):
    sent = {"name": "ann", "password": PASSWORD, "next": "https://evil.example"}
    answer = stranger.post("/login?next=//evil.example&url=//evil.example", data=sent)
    assert answer.headers["location"] == "/"


# Somebody who is in, and wants more


def test_every_change_by_cookie_needs_the_pages_token(team, stranger):
    log_in(stranger, "max")
    changes = [(m, p) for m, p in calls(team) if m not in ("GET", "HEAD", "OPTIONS")]
    assert len(changes) > 8
    for method, path in changes:
        for token in ({}, {"X-CSRF-Token": "x"}):
            assert stranger.request(method, path, headers=token).status_code == 403, path
    other = team.state.authenticator.csrf_token("somebody else's cookie")
    assert stranger.post(f"{TEAM}/next", headers={"X-CSRF-Token": other}).status_code == 403


def test_a_document_in_somebody_elses_hands_cannot_be_decided(team, stranger):
    ann, boss = bearer(team, "ann"), bearer(team, "max")
    lease = stranger.post(f"{TEAM}/next", headers=boss).json()["assignment"]["lease"]
    for action in ("decision", "skip", "renew"):
        sent = {"json": {"labels": [0]}} if action == "decision" else {}
        method = "POST"
        answer = stranger.request(method, f"{TEAM}/leases/{lease}/{action}", headers=ann, **sent)
        assert answer.status_code in (404, 405, 409), action
    status = stranger.get(f"{TEAM}/status", headers=boss).json()
    assert status["n_validated"] == 0


def test_undo_reaches_ones_own_work_alone(team, stranger):
    ann, boss = bearer(team, "ann"), bearer(team, "max")
    lease = stranger.post(f"{TEAM}/next", headers=boss).json()["assignment"]["lease"]
    url = f"{TEAM}/leases/{lease}/decision"
    assert stranger.post(url, json={"labels": [0]}, headers=boss).status_code == 200
    assert stranger.post(f"{TEAM}/undo", headers=ann).status_code == 409
    assert stranger.get(f"{TEAM}/status", headers=boss).json()["n_validated"] == 1


def test_a_role_that_is_taken_away_is_gone(team, stranger, monkeypatch):
    monkeypatch.setattr(authentication, "_TOKEN_CACHE_SECONDS", 0.0)
    store = team.state.open_projects.store
    headers = bearer(team, "max")
    assert stranger.get(f"{TEAM}/export", headers=headers).status_code == 200
    change_user(store, "max", role="annotator")
    assert stranger.get(f"{TEAM}/export", headers=headers).status_code == 403
    remove_tokens(store, "max")
    assert stranger.get(f"{TEAM}/status", headers=headers).status_code == 401


def test_a_person_who_is_removed_is_out(team, stranger, monkeypatch):
    monkeypatch.setattr(authentication, "_TOKEN_CACHE_SECONDS", 0.0)
    headers = bearer(team, "ann")
    log_in(stranger, "ann")
    remove_user(team.state.open_projects.store, "ann")
    assert stranger.get("/api/v1/me").status_code == 401
    stranger.cookies.clear()
    assert stranger.get("/api/v1/me", headers=headers).status_code == 401


def test_a_token_is_remembered_for_seconds_only(team):
    assert authentication._TOKEN_CACHE_SECONDS <= 5
    assert team.state.authenticator.identify_by_token("unknown") is None


@pytest.mark.parametrize("name", ["../../evil.csv", "/etc/passwd.csv", "a\0.csv", "..\\x.csv"])
def test_of_the_name_of_an_upload_only_the_ending_is_used(name, client, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = lasting(tmp_path)
    client.post(
        "/api/v1/projects",
        data={"name": "x"},
        files={"documents": (name, b"id,text\n1,a\n"), "train": (name, b"id,text,labels\n")},
    )
    assert lasting(tmp_path) == before


def lasting(folder):
    """Return the files and folders that are not temporary; those may vanish while one looks.

    Python's multiprocessing has a folder "pymp-" of its own, for as long as the process lives.
    """
    found = {
        os.path.join(root, name)
        for root, *names in os.walk(folder)
        for some in names
        for name in some
    }
    return {path for path in found if "satc-" not in path and "pymp-" not in path}


# Hostile texts


def test_markup_in_names_and_titles_is_escaped_in_pages(tmp_path):
    make_project(make(n=10), tmp_path / "x.satc", title=HOSTILE, guidelines=HOSTILE)
    store = open_store(tmp_path / "x.satc")
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.get(f"/enter?key={app.state.authenticator.link_key}")
        page = client.get("/p/x").text
        assert HOSTILE not in page
        assert "&lt;script&gt;hacked" in page
        answer = client.get("/api/v1/projects/x")
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
    store.close()


def test_markup_is_escaped_in_reports_and_certificates(tmp_path):
    from satc.workbench.project.history import read_history
    from satc.workbench.reports.report import make_report
    from satc.workbench.reports.report_page import as_html
    from satc.workbench.store.projects import get_project

    names = tuple(f"{HOSTILE}{j}" for j in range(6))
    make_project(make(n=10), tmp_path / "x.satc", title=HOSTILE, names=names)
    store = open_store(tmp_path / "x.satc")
    project = get_project(store)
    history = read_history(store, project)
    page = as_html(store, make_report(store, project, history), history, None)
    assert "<script>hacked" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;hacked" in page
    store.close()


def test_pages_hold_no_script_or_style_of_their_own_that_the_policy_would_have_to_allow():
    assert "unsafe" not in middleware.CONTENT_SECURITY_POLICY
    assert "frame-ancestors 'none'" in middleware.CONTENT_SECURITY_POLICY
    pages = list((PACKAGE / "workbench").rglob("templates/*.html"))
    assert len(pages) > 4
    for page in pages:
        if page.name != "report.html":  # a file by itself, without a policy
            text = page.read_text(encoding="utf-8")
            text = text.replace('<script type="application/json"', "")  # data, which never runs
            assert not re.search(r"<style|style=|\bon\w+=|<script(?![^>]*\bsrc=)|javascript:", text)
        assert "|safe" not in page.read_text(encoding="utf-8").replace(" ", "")


def test_scripts_never_make_markup_of_texts():
    scripts = list((PACKAGE / "workbench" / "web" / "static").rglob("*.js"))
    assert len(scripts) > 15
    for script in scripts:
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
        assert not re.search(r"https?://(?!www\.w3\.org)", text)


def test_no_page_can_be_framed_or_read_by_another_site(client):
    for path in ("/login", "/api/v1/me"):
        headers = client.get(path, headers={"Origin": "https://evil.example"}).headers
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in headers if name.startswith("access-control")]


def test_a_fault_of_ours_tells_nothing_of_the_inside(app):
    class Broken:
        def __getattr__(self, name):
            raise RuntimeError("inside")

    app.state.open_projects = Broken()
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        headers = {"Authorization": f"Bearer {app.state.authenticator.link_key}"}
        answer = client.get("/api/v1/projects", headers=headers)
    assert answer.status_code == 500
    assert answer.json()["detail"].startswith("The server made an error.")
    assert "inside" not in answer.text
