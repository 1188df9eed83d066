"""The company's login by OpenID Connect, against a real provider."""

from __future__ import annotations

import subprocess
import sys
import time
from urllib.parse import urlsplit

import httpx
import pytest
from calling import TEAM, log_in
from fastapi.testclient import TestClient
from openid_provider import CLIENT_ID, CLIENT_SECRET, running_provider

from satc.workbench.store.people.members import projects_of
from satc.workbench.store.people.users import change_user, find_user, remove_user
from satc.workbench.web.access.authentication import Authenticator
from satc.workbench.web.access.company.roles import RoleMapping
from satc.workbench.web.access.company.settings import LoginSettings, OpenIdLogin
from satc.workbench.web.access.passwords import no_password
from satc.workbench.web.app import make_app

AT_PROVIDER = httpx.Client(verify=False)  # noqa: S501 (no certificate is read: it is fast)
MAPPED = RoleMapping({"leads": "manager", "staff": "annotator"}, default=None)


@pytest.fixture(scope="module")
def running():
    with running_provider() as provider, AT_PROVIDER:
        yield provider


@pytest.fixture
def provider(running):
    running.reset()
    return running


@pytest.fixture
def visit(team, provider):
    """Open a browser of a team's server: ``visit(passwords=False)`` sets how people log in."""
    store = team.state.open_projects.store
    opened = []

    def made(**options):
        openid = {"label": "ACME", **options.pop("openid", {})}
        settings = OpenIdLogin(provider.issuer, CLIENT_ID, CLIENT_SECRET, **openid)
        login = LoginSettings(openid=settings, **options)
        app = make_app(store, estimating=False, authenticator=Authenticator(store, login))
        client = TestClient(app, base_url="http://workbench.example", follow_redirects=False)
        opened.append(client)
        return client.__enter__()

    yield made
    for client in opened:
        client.__exit__(None, None, None)


def begin(client, page="/"):
    """Go to the provider; return the address to which it sends the person back."""
    sent = client.get("/oidc/login", params={"next": page})
    assert sent.status_code == 303, sent.text
    answer = AT_PROVIDER.get(sent.headers["location"])
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


def finish(client, address):
    parts = urlsplit(address)
    return client.get(f"{parts.path}?{parts.query}")


def log_in_there(client, page="/"):
    return finish(client, begin(client, page))


def me(client):
    return client.get("/api/v1/me")


def test_a_person_logs_in_at_the_provider_and_comes_back_to_the_wanted_page(visit):
    client = visit()
    page = client.get("/login", params={"next": "/p/team/documents?sort=rank"}).text
    assert "Log in with ACME" in page
    assert "/oidc/login?next=/p/team/documents%3Fsort%3Drank" in page
    answer = log_in_there(client, "/p/team/documents?sort=rank")
    assert answer.status_code == 200
    assert 'url=/p/team/documents?sort=rank"' in answer.text
    assert (me(client).json()["name"], me(client).json()["role"]) == ("eve", "annotator")
    cookies = answer.headers.get_list("set-cookie")
    assert any("SameSite=strict" in one and "HttpOnly" in one for one in cookies)
    assert client.get(f"{TEAM}/status").status_code == 200


def test_the_next_page_is_one_of_this_server(visit):
    client = visit()
    for page in ("https://evil.example/", "//evil.example", "/\\evil.example", "/oidc/login"):
        assert 'url=/"' in log_in_there(client, page).text


def test_a_change_by_this_session_needs_the_token_of_the_page(visit):
    client = visit()
    log_in_there(client)
    assert client.post(f"{TEAM}/next").status_code == 403
    headers = {"X-CSRF-Token": me(client).json()["csrf_token"]}
    assert client.post(f"{TEAM}/next", headers=headers).status_code == 200


HOUR = 3600


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"nonce": "of another login"}, "nonce"),
        ({"aud": "another client"}, "aud"),
        ({"aud": "another client", "azp": CLIENT_ID}, "aud"),
        ({"aud": [CLIENT_ID, "another client"], "azp": "another client"}, "azp"),
        ({"iss": "http://localhost:1"}, "iss"),
        ({"exp": int(time.time()) - HOUR}, "exp"),
        ({"iat": int(time.time()) + HOUR}, "iat"),
        ({"sub": None}, "sub"),
    ],
)
def test_an_id_token_with_a_wrong_claim_is_refused(visit, provider, changed, reason):
    client = visit()
    provider.claims = changed
    answer = log_in_there(client)
    assert answer.status_code == 403
    assert reason in answer.json()["detail"]
    assert me(client).status_code == 401


def test_an_id_token_by_another_key_is_refused(visit, provider):
    client = visit()
    provider.key = provider.other_key
    assert "BadSignature" in log_in_there(client).json()["detail"]
    assert me(client).status_code == 401


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_an_id_token_without_a_key_of_the_provider_is_refused(visit, provider, algorithm):
    provider.algorithm, provider.algorithms = algorithm, ["none", "HS256", "RS256"]
    client = visit()
    answer = log_in_there(client)
    assert answer.status_code == 403
    assert "could not be confirmed" in answer.json()["detail"]
    assert me(client).status_code == 401


def test_a_new_key_of_the_provider_is_fetched(visit, provider):
    client = visit()
    log_in_there(client)
    first = provider.own_key
    provider.own_key = provider.key = type(first).generate_key(2048, {"kid": "second"})
    try:
        assert log_in_there(client).status_code == 200
    finally:
        provider.own_key = provider.key = first


def test_a_state_that_was_not_asked_for_is_refused(visit, provider):
    client = visit()
    begin(client)
    answer = client.get("/oidc/callback", params={"code": "x", "state": "planted"})
    assert answer.status_code == 403
    assert "MismatchingState" in answer.json()["detail"]
    assert provider.requests == 0


def test_a_login_that_another_browser_began_is_refused(visit, provider):
    address = begin(visit())
    answer = finish(visit(), address)
    assert answer.status_code == 400
    assert "begun in another browser" in answer.json()["detail"]
    assert provider.requests == 0


def test_a_code_works_once(visit):
    client = visit()
    address = begin(client)
    kept = dict(client.cookies)
    assert finish(client, address).status_code == 200
    client.cookies.clear()
    client.cookies.update(kept)
    assert finish(client, address).status_code == 403
    assert me(client).status_code == 401


def test_a_refusal_of_the_provider_is_told_without_its_words(visit):
    client = visit()
    begin(client)
    asked = {"error": "access_denied", "error_description": "<b>call 555</b>", "state": "x"}
    answer = client.get("/oidc/callback", params=asked)
    assert answer.status_code == 403
    assert "555" not in answer.text


def test_groups_decide_on_the_role_at_each_login(visit, provider, team):
    store = team.state.open_projects.store
    provider.person["groups"] = ["staff", "leads"]
    client = visit(roles=MAPPED)
    log_in_there(client)
    assert me(client).json()["role"] == "manager"
    provider.person["groups"] = ["staff"]
    log_in_there(client)
    assert find_user(store, "eve").role == "annotator"


def test_a_person_without_a_mapped_role_is_refused(visit, provider, team):
    provider.person["groups"] = ["guests"]
    client = visit(roles=MAPPED)
    answer = log_in_there(client)
    assert answer.status_code == 403
    assert "may not use this workbench" in answer.json()["detail"]
    assert find_user(team.state.open_projects.store, "eve") is None


def test_a_nested_claim_holds_groups(visit, provider):
    provider.person["realm_access"] = {"roles": ["leads"]}
    client = visit(roles=MAPPED, openid={"role_claim": "realm_access.roles"})
    log_in_there(client)
    assert me(client).json()["role"] == "manager"


def test_a_name_that_the_token_lacks_is_asked_for(visit, provider):
    del provider.person["preferred_username"]
    client = visit()
    answer = log_in_there(client)
    assert "preferred_username is missing" in answer.json()["detail"]
    provider.told_on_request = {"preferred_username": "ida"}
    log_in_there(client)
    assert me(client).json()["name"] == "ida"


def test_another_account_does_not_take_over_a_name(visit, provider):
    client = visit()
    log_in_there(client)
    provider.person["sub"] = "0002"
    answer = log_in_there(client)
    assert answer.status_code == 403
    assert "another account" in answer.json()["detail"]
    provider.person |= {"sub": "0001", "preferred_username": "renamed"}
    log_in_there(client)
    assert me(client).json()["name"] == "eve"


def test_a_user_with_a_password_must_give_it_up_before_the_provider_names_them(
    visit, provider, team
):
    provider.person["preferred_username"] = "max"
    client = visit()
    answer = log_in_there(client)
    assert (answer.status_code, me(client).status_code) == (403, 401)
    assert "--remove" in answer.json()["detail"]
    change_user(team.state.open_projects.store, "max", password=no_password())
    assert log_in_there(client).status_code == 200
    assert me(client).json()["role"] == "manager"


@pytest.mark.parametrize("name", ["АNN", "Ann", "two words", "ａnn"])
def test_a_name_that_looks_like_another_or_cannot_be_used_is_refused(visit, provider, name):
    provider.person["preferred_username"] = name
    assert log_in_there(visit()).status_code == 403


def test_passwords_can_be_switched_off(visit):
    client = visit(passwords=False)
    page = client.get("/login").text
    assert "Log in with ACME" in page
    assert "password" not in page.lower()
    assert log_in(client, "ann").status_code == 403
    assert client.get("/join", params={"key": "x"}).status_code == 403
    log_in_there(client)
    assert me(client).json()["name"] == "eve"


def test_a_session_ends_when_its_way_to_log_in_is_closed(team, visit, stranger):
    log_in(stranger, "ann")
    assert me(stranger).status_code == 200
    name = team.state.authenticator.cookie_name
    closed = visit(passwords=False)
    closed.cookies.set(name, stranger.cookies[name])
    assert me(closed).status_code == 401
    closed.cookies.clear()
    log_in_there(closed)
    assert me(closed).status_code == 200
    stranger.cookies.clear()
    stranger.cookies.set(name, closed.cookies[name])
    assert me(stranger).status_code == 401


def test_a_person_who_is_removed_is_out_although_the_provider_knows_them(visit, team):
    client = visit()
    log_in_there(client)
    remove_user(team.state.open_projects.store, "eve")
    assert me(client).status_code == 401


def test_a_new_person_opens_the_only_project(visit, team):
    log_in_there(visit())
    assert projects_of(team.state.open_projects.store, "eve") == {"team"}


def test_a_provider_that_names_another_issuer_is_not_used(visit, provider):
    provider.named_issuer = "http://localhost:1"
    answer = visit().get("/oidc/login")
    assert answer.status_code == 503
    assert "calls itself http://localhost:1" in answer.json()["detail"]


def test_a_provider_that_is_away_is_told_in_a_sentence(visit, team):
    away = OpenIdLogin("http://127.0.0.1:9", CLIENT_ID)
    store = team.state.open_projects.store
    login = LoginSettings(openid=away)
    app = make_app(store, estimating=False, authenticator=Authenticator(store, login))
    with TestClient(app, base_url="http://workbench.example") as client:
        answer = client.get("/oidc/login")
    assert answer.status_code == 503
    assert "cannot be reached" in answer.json()["detail"]


def test_failed_logins_are_limited(visit):
    client = visit()
    begin(client)
    asked = {"code": "x", "state": "planted"}
    codes = [client.get("/oidc/callback", params=asked).status_code for _ in range(7)]
    assert codes == [403] * 5 + [429] * 2


def test_a_server_without_a_provider_has_no_such_pages(stranger):
    assert stranger.get("/oidc/login").status_code == 404
    assert stranger.get("/oidc/callback").status_code == 404


def test_the_secret_is_not_shown():
    assert CLIENT_SECRET not in repr(OpenIdLogin("https://id.example", CLIENT_ID, CLIENT_SECRET))


@pytest.mark.slow
def test_without_a_provider_its_library_is_not_loaded():
    code = "import sys, satc.workbench.web.app as app; print('authlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
