from concurrent.futures import ThreadPoolExecutor

import pytest
from calling import BASE, PASSWORD, TEAM, csrf, log_in
from fastapi.testclient import TestClient

from satc.printed.style import STYLE
from satc.workbench.store.people.users import change_user
from satc.workbench.web.access.accounts import new_token
from satc.workbench.web.access.login_limiter import TooManyAttemptsError
from satc.workbench.web.access.passwords import hash_password


def test_nobody_comes_in_without_a_password_token_or_link(stranger, client):
    assert stranger.get("/").headers["location"] == "/login"
    assert stranger.get(f"{TEAM}/status").status_code == 401
    assert stranger.get(f"{TEAM}/status", headers={"Authorization": "Bearer x"}).status_code == 401
    assert stranger.get("/enter?key=").status_code == 403
    del client.headers["Authorization"]
    assert client.get(f"{BASE}/status").status_code == 401
    assert client.get("/enter?key=wrong").status_code == 403


def test_the_secret_link_lets_the_only_person_in(app, client):
    del client.headers["Authorization"]
    answer = client.get(f"/enter?key={app.state.authenticator.link_key}", follow_redirects=False)
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert client.get("/api/v1/me").json()["single_user"]


@pytest.mark.slow
def test_a_password_opens_a_session_that_a_new_password_ends(stranger, team):
    assert log_in(stranger, "ann", "wrong").status_code == 401
    assert log_in(stranger, "nobody").status_code == 401
    assert log_in(stranger, "ann").headers["location"] == "/"
    assert stranger.get("/api/v1/me").json()["name"] == "ann"
    change_user(team.state.open_projects.store, "ann", password=hash_password("another password"))
    assert stranger.get("/api/v1/me").status_code == 401


@pytest.mark.slow
def test_guessing_passwords_is_slowed_down(stranger):
    codes = [log_in(stranger, "ann", f"guess {i}").status_code for i in range(7)]
    assert codes == [401] * 5 + [429] * 2
    assert log_in(stranger, "ann").status_code == 429
    assert log_in(stranger, "max").status_code == 303


def test_a_cookie_alone_changes_nothing(stranger):
    log_in(stranger, "ann")
    assert stranger.post(f"{TEAM}/next").status_code == 403
    assert stranger.post(f"{TEAM}/next", headers={"X-CSRF-Token": "x"}).status_code == 403
    assert stranger.post(f"{TEAM}/next", headers=csrf(stranger)).status_code == 200
    assert stranger.post("/logout").status_code == 403


def test_another_site_cannot_log_somebody_in(stranger):
    sent = {"name": "ann", "password": PASSWORD}
    answer = stranger.post("/login", data=sent, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_logging_out_ends_the_session(stranger):
    log_in(stranger, "ann")
    token = csrf(stranger)["X-CSRF-Token"]
    assert stranger.post("/logout", data={"csrf_token": token}).status_code == 303
    assert stranger.get("/api/v1/me").status_code == 401


def test_annotators_neither_export_nor_make_projects(team):
    store = team.state.open_projects.store
    with TestClient(team, base_url="http://workbench.example") as client:
        for name, code in (("ann", 403), ("max", 200)):
            client.headers["Authorization"] = f"Bearer {new_token(store, name)}"
            assert client.get(f"{TEAM}/export").status_code == code
        client.headers["Authorization"] = f"Bearer {new_token(store, 'ann')}"
        answer = client.post(
            "/api/v1/projects", data={"name": "x"}, files={"documents": ("a.csv", b"id,text\n")}
        )
        assert answer.status_code == 403


def test_only_a_manager_changes_somebody_elses_decision(team):
    store = team.state.open_projects.store
    with TestClient(team, base_url="http://workbench.example") as client:
        ann, boss = (
            {"Authorization": f"Bearer {new_token(store, name)}"} for name in ("ann", "max")
        )
        given = client.post(f"{TEAM}/next", headers=boss).json()["assignment"]
        sent = {"labels": [0]}
        client.post(f"{TEAM}/leases/{given['lease']}/decision", json=sent, headers=boss)
        url = f"{TEAM}/documents/{given['document']['index']}/decision"
        assert client.put(url, json={"labels": [1]}, headers=ann).status_code == 409
        assert client.put(url, json={"labels": [1]}, headers=boss).status_code == 200


def test_without_users_only_the_machine_itself_is_served(app):
    with TestClient(app, base_url="http://rebound.example") as client:
        assert client.get("/login").status_code == 400


def test_pages_and_answers_carry_the_protecting_headers(client):
    for path in ("/login", "/api/v1/me", "/static/style.css", "/nothing"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    assert client.get("/api/v1/me").headers["cache-control"] == "no-store"


def test_too_large_a_body_is_refused(client):
    answer = client.put(f"{BASE}/documents/0/note", content=b"x" * (5 << 20))
    assert answer.status_code == 413


@pytest.mark.slow
def test_many_guesses_at_once_do_not_slip_through(team):
    access = team.state.authenticator
    with ThreadPoolExecutor(12) as pool:
        tries = [pool.submit(access.log_in, "ann", f"guess {i}", "here") for i in range(12)]
    refused = [t for t in tries if isinstance(t.exception(), TooManyAttemptsError)]
    assert len(refused) == 7


def test_the_workbench_serves_the_theme_that_reports_hold(client):
    answer = client.get("/static/theme.css")
    assert answer.headers["content-type"].startswith("text/css")
    assert STYLE.startswith(answer.text)
    assert "/static/theme.css" in client.get("/login").text
    assert client.get("/static/style.py").status_code == 404
