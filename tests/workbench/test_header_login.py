"""The company's login by a header of a trusted proxy."""

from __future__ import annotations

import pytest
from calling import TEAM, bearer, csrf, log_in
from fastapi.testclient import TestClient

from satc.workbench.store.people.users import find_user, list_users
from satc.workbench.web.access import authentication
from satc.workbench.web.access.authentication import Authenticator
from satc.workbench.web.access.company.roles import RoleMapping
from satc.workbench.web.access.company.settings import HeaderLogin, LoginSettings
from satc.workbench.web.app import make_app
from satc.workbench.web.proxy.middleware import BehindProxy
from satc.workbench.web.proxy.settings import ProxySettings
from satc.workbench.web.proxy.trusted import TrustedProxies

PROXY, STRANGER = ("10.0.0.7", 4000), ("192.0.2.9", 4000)
USER, GROUPS = "X-Forwarded-User", "X-Forwarded-Groups"
MAPPED = RoleMapping({"leads": "manager", "staff": "annotator"}, default=None)


@pytest.fixture
def store(team):
    return team.state.open_projects.store


@pytest.fixture
def visit(store):
    """Open a client of the server, behind the proxy or not: ``visit(STRANGER)``."""
    opened = []

    def made(address=PROXY, **options):
        login = LoginSettings(header=HeaderLogin(USER, GROUPS), **options)
        app = make_app(store, estimating=False, authenticator=Authenticator(store, login))
        behind = BehindProxy(app, ProxySettings(trusted=TrustedProxies(["10.0.0.0/8"])))
        options = {"base_url": "http://workbench.example", "follow_redirects": False}
        client = TestClient(behind, client=address, **options)
        opened.append(client)
        return client.__enter__()

    yield made
    for client in opened:
        client.__exit__(None, None, None)


def me(client, name, groups=None, **headers):
    sent = {USER: name, **({} if groups is None else {GROUPS: groups}), **headers}
    return client.get("/api/v1/me", headers=sent)


def test_the_proxy_says_who_somebody_is(visit, store):
    client = visit()
    answer = me(client, "eve")
    assert (answer.json()["name"], answer.json()["role"]) == ("eve", "annotator")
    assert find_user(store, "eve").role == "annotator"
    assert client.get(f"{TEAM}/status", headers={USER: "eve"}).status_code == 200
    assert me(client, "max").json()["role"] == "manager"


def test_nobody_else_is_believed(visit, store):
    client = visit(STRANGER)
    forwarded = {"X-Forwarded-For": "10.0.0.7"}
    assert me(client, "max").status_code == 401
    assert me(client, "max", **forwarded).status_code == 401
    assert client.get("/", headers={USER: "max"}).headers["location"] == "/login"
    assert len(list_users(store)) == 2


def test_the_header_of_a_stranger_does_not_replace_their_login(visit):
    client = visit(STRANGER)
    log_in(client, "ann")
    assert me(client, "max").json()["name"] == "ann"


def test_a_header_that_comes_twice_is_refused(visit):
    client = visit()
    headers = [(USER, "max"), (USER, "eve")]
    answer = client.get("/api/v1/me", headers=headers)
    assert answer.status_code == 403
    assert "came twice" in answer.json()["detail"]


def test_a_change_needs_the_token_of_the_page(visit):
    client = visit()
    client.headers[USER] = "eve"
    assert client.post(f"{TEAM}/next").status_code == 403
    other = me(client, "max").json()["csrf_token"]
    assert client.post(f"{TEAM}/next", headers={"X-CSRF-Token": other}).status_code == 403
    own = csrf(client)
    assert client.post(f"{TEAM}/next", headers=own).status_code == 200
    assert own["X-CSRF-Token"] in client.get("/p/team").text


def test_groups_decide_on_the_role_at_each_request(visit, store, monkeypatch):
    monkeypatch.setattr(authentication, "_TOKEN_CACHE_SECONDS", 0.0)
    client = visit(roles=MAPPED)
    assert me(client, "eve", "staff, leads").json()["role"] == "manager"
    assert me(client, "eve", "staff").json()["role"] == "annotator"
    assert find_user(store, "eve").role == "annotator"
    answer = me(client, "eve", "guests")
    assert answer.status_code == 403
    assert "may not use this workbench" in answer.json()["detail"]


def test_without_a_default_role_only_users_come_in(visit, store):
    client = visit(roles=RoleMapping(default=None))
    assert me(client, "ann").status_code == 200
    assert me(client, "eve").status_code == 403
    assert find_user(store, "eve") is None


@pytest.mark.parametrize("name", ["Ann", "two words", "m\u0430x", "x" * 200])
def test_a_name_that_cannot_be_used_is_refused(visit, store, name):
    answer = visit().get("/api/v1/me", headers={USER: name.encode()})
    assert answer.status_code == 403
    assert len(list_users(store)) == 2


def test_a_refused_person_gets_a_page(visit):
    client = visit(roles=MAPPED)
    answer = client.get("/", headers={USER: "eve", "Accept": "text/html"})
    assert answer.status_code == 403
    assert "may not use this workbench" in answer.text


def test_a_token_of_a_program_counts_more_than_the_header(visit, team):
    client = visit()
    assert me(client, "max", **bearer(team, "ann")).json()["name"] == "ann"
    foreign = {"Authorization": "Bearer of-the-proxy"}
    assert me(client, "max", **foreign).json()["name"] == "max"


def test_the_proxy_decides_when_somebody_is_logged_out(visit):
    client = visit()
    client.headers[USER] = "eve"
    sent = {"csrf_token": csrf(client)["X-CSRF-Token"]}
    assert client.post("/logout").status_code == 403
    assert "Only there can you log out" in client.post("/logout", data=sent).text
    other = visit(logout_address="https://login.example/out")
    other.headers[USER] = "eve"
    answer = other.post("/logout", data={"csrf_token": csrf(other)["X-CSRF-Token"]})
    assert 'url=https://login.example/out"' in answer.text


def test_without_passwords_the_login_page_sends_people_to_the_proxy(visit):
    client = visit(STRANGER, passwords=False)
    page = client.get("/login").text
    assert "by the login of the company" in page
    assert '<form method="post" action="/login"' not in page
    assert log_in(client, "ann").status_code == 403


def test_managers_upload_large_files_by_the_header(visit, monkeypatch):
    from satc.workbench.web import middleware

    monkeypatch.setattr(middleware, "MAX_BODY_BYTES", 1000)
    client = visit()
    sent = {"documents": ("d.csv", b"x" * 5000)}
    for name, code in (("eve", 413), ("max", 403)):  # max lacks the token of the page
        answer = client.post("/api/v1/preview", files=sent, headers={USER: name})
        assert answer.status_code == code, answer.text


def test_names_in_other_scripts_come_as_utf_8(visit):
    answer = visit().get("/api/v1/me", headers={USER: "Анна".encode()})
    assert answer.json()["name"] == "Анна"


def test_a_server_with_a_company_login_needs_no_users(visit, store):
    login = LoginSettings(header=HeaderLogin(USER))
    for user in list_users(store):
        from satc.workbench.store.people.users import remove_user

        remove_user(store, user.name)
    assert Authenticator(store).single_user
    assert not Authenticator(store, login).single_user
