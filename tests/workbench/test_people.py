"""People by clicking: roles, removal, invitations and the page of an invitation."""

from __future__ import annotations

import pytest
from calling import PASSWORD, bearer, csrf, log_in
from fastapi.testclient import TestClient

from satc.workbench.store.people.users import find_user, list_users
from satc.workbench.web.access import invitations

PEOPLE = "/api/v1/people"


@pytest.fixture
def boss(team, stranger):
    """Return a client that has logged in as max, a manager."""
    log_in(stranger, "max")
    stranger.headers.update(csrf(stranger))
    return stranger


@pytest.fixture
def visitor(team):
    """Return another browser."""
    with TestClient(team, base_url="http://workbench.example", follow_redirects=False) as client:
        yield client


def invited(boss, name="eve", role="annotator"):
    return boss.post(f"{PEOPLE}/invitations", json={"name": name, "role": role})


def join(visitor, path, password=PASSWORD, repeated=None):
    key = path.partition("=")[2]
    sent = {"key": key, "password": password, "repeated": repeated or password}
    return visitor.post("/join", data=sent)


def test_a_manager_sees_users_and_invitations(boss):
    link = invited(boss).json()
    found = boss.get(PEOPLE).json()
    assert [(one["name"], one["role"]) for one in found["users"]] == [
        ("ann", "annotator"),
        ("max", "manager"),
    ]
    (open_one,) = found["invitations"]
    assert (open_one["name"], open_one["kind"], open_one["invited_by"]) == ("eve", "new", "max")
    assert open_one["expires"] == link["expires"]
    assert "key" not in str(found)
    assert not found["single_user"]


def test_an_invited_person_sets_a_password_and_is_logged_in(boss, visitor):
    path = invited(boss, role="manager").json()["path"]
    page = visitor.get(path)
    assert "Welcome, eve." in page.text
    answer = join(visitor, path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert visitor.get("/api/v1/me").json()["name"] == "eve"
    assert visitor.get("/api/v1/me").json()["role"] == "manager"
    assert log_in(visitor, "eve").status_code == 303


def test_a_used_expired_or_withdrawn_link_says_so(boss, visitor, monkeypatch):
    path = invited(boss).json()["path"]
    join(visitor, path)
    for answer in (visitor.get(path), join(visitor, path, "another password")):
        assert answer.status_code == 410
        assert "This link was used already." in answer.text
    second = invited(boss, "ida").json()["path"]
    assert boss.delete(f"{PEOPLE}/invitations/ida").status_code == 200
    assert boss.delete(f"{PEOPLE}/invitations/ida").status_code == 404
    assert "This link is not valid." in visitor.get(second).text
    monkeypatch.setattr(invitations, "VALID_SECONDS", -1)
    third = invited(boss, "ida").json()["path"]
    assert "This link has expired." in visitor.get(third).text
    assert join(visitor, third).status_code == 410


def test_two_different_passwords_or_a_short_one_are_refused(team, boss, visitor):
    path = invited(boss).json()["path"]
    assert "The two passwords differ." in join(visitor, path, repeated="something else").text
    assert "at least 8 characters" in join(visitor, path, "short").text
    assert find_user(team.state.open_projects.store, "eve") is None
    assert join(visitor, path).status_code == 303


def test_another_site_cannot_use_a_link(boss, visitor):
    path = invited(boss).json()["path"]
    visitor.headers["Origin"] = "https://evil.example"
    assert join(visitor, path).status_code == 403


def test_guessing_links_is_slowed_down(visitor):
    codes = [visitor.get("/join", params={"key": "guess"}).status_code for _ in range(7)]
    assert codes == [410] * 5 + [429] * 2
    many = [visitor.get("/join", params={"key": str(i)}).status_code for i in range(20)]
    assert many[-1] == 429


def test_a_manager_gives_a_new_password_by_a_link(boss, visitor):
    log_in(visitor, "ann")
    path = boss.post(f"{PEOPLE}/ann/invitation").json()["path"]
    assert visitor.get("/api/v1/me").status_code == 200
    other = join(visitor, path, "a new password")
    assert other.status_code == 303
    assert visitor.get("/api/v1/me").json() | {"csrf_token": ""} == {
        "name": "ann",
        "role": "annotator",
        "csrf_token": "",
        "single_user": False,
    }
    visitor.cookies.clear()
    assert log_in(visitor, "ann").status_code == 401
    assert log_in(visitor, "ann", "a new password").status_code == 303


def test_roles_change_and_people_leave(boss, visitor):
    log_in(visitor, "ann")
    assert visitor.get(PEOPLE).status_code == 403
    assert boss.patch(f"{PEOPLE}/ann", json={"role": "manager"}).status_code == 200
    assert visitor.get(PEOPLE).status_code == 200
    assert boss.patch(f"{PEOPLE}/ann", json={"role": "king"}).status_code == 422
    assert boss.delete(f"{PEOPLE}/ann").status_code == 200
    assert visitor.get(PEOPLE).status_code == 401
    for answer in (boss.delete(f"{PEOPLE}/ann"), boss.post(f"{PEOPLE}/ann/invitation")):
        assert answer.status_code == 404


def test_managers_do_not_change_their_own_account(boss):
    for answer in (
        boss.patch(f"{PEOPLE}/max", json={"role": "annotator"}),
        boss.delete(f"{PEOPLE}/max"),
    ):
        assert answer.status_code == 409
        assert "Another manager" in answer.json()["detail"]


def test_wrong_invitations_are_refused_in_a_sentence(boss):
    assert "already" in invited(boss, "max").json()["detail"]
    assert "name must be up to 100 letters" in invited(boss, "<b>").json()["detail"]
    assert invited(boss, "eve", "king").status_code == 422


def test_annotators_do_nothing_with_people(team, stranger):
    ann = bearer(team, "ann")
    for method, path, sent in (
        ("GET", PEOPLE, None),
        ("POST", PEOPLE, {"name": "x", "password": PASSWORD}),
        ("PATCH", f"{PEOPLE}/ann", {"role": "manager"}),
        ("DELETE", f"{PEOPLE}/max", None),
        ("POST", f"{PEOPLE}/invitations", {"name": "x", "role": "manager"}),
        ("DELETE", f"{PEOPLE}/invitations/x", None),
        ("POST", f"{PEOPLE}/max/invitation", None),
    ):
        assert stranger.request(method, path, json=sent, headers=ann).status_code == 403, path


def test_a_cookie_alone_invites_nobody(team, stranger):
    log_in(stranger, "max")
    sent = {"name": "eve", "role": "manager"}
    assert stranger.post(f"{PEOPLE}/invitations", json=sent).status_code == 403


def test_the_single_user_adds_the_first_manager(client, app):
    found = client.get(PEOPLE).json()
    assert (found["single_user"], found["users"], found["invitations"]) == (True, [], [])
    assert "at least 8" in client.post(PEOPLE, json={"name": "max", "password": "x"}).text
    sent = {"name": "max", "password": PASSWORD}
    assert client.post(PEOPLE, json=sent).status_code == 201
    assert client.post(PEOPLE, json=sent).status_code == 409
    (user,) = list_users(app.state.open_projects.store)
    assert (user.name, user.role) == ("max", "manager")
    assert client.get("/join", params={"key": "x"}).status_code == 404


def test_a_server_with_users_has_a_first_manager_already(boss):
    answer = boss.post(PEOPLE, json={"name": "eve", "password": PASSWORD})
    assert answer.status_code == 409
