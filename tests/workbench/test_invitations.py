"""Invitations: a link for one person, valid for a week, once."""

from __future__ import annotations

from contextlib import closing

import pytest
from projects_made import make, make_project

from satc.errors import DataError
from satc.workbench.store import open_store
from satc.workbench.store.people.invitations import list_invitations, remove_invitations
from satc.workbench.store.people.users import (
    add_user,
    change_user,
    find_user,
    list_users,
    remove_user,
)
from satc.workbench.web.access import invitations
from satc.workbench.web.access.passwords import is_password

PASSWORD = "correct horse battery"  # noqa: S105


@pytest.fixture
def store(location):
    """Return a store with max, a manager."""
    make_project(make(n=5), location)
    with closing(open_store(location)) as store:
        add_user(store, "max", "manager", "no password fits this")
        yield store


def secret_of(link):
    return link.path.partition("=")[2]


def test_an_invited_person_sets_a_password_once(store):
    link = invitations.invite(store, "eve", "annotator", "max")
    assert invitations.find(store, secret_of(link)).state == "open"
    accepted = invitations.accept(store, secret_of(link), PASSWORD)
    assert (accepted.name, accepted.role, accepted.kind) == ("eve", "annotator", "new")
    assert is_password(PASSWORD, find_user(store, "eve").password)
    assert invitations.find(store, secret_of(link)).state == "used"
    assert invitations.accept(store, secret_of(link), "another password") is None
    assert is_password(PASSWORD, find_user(store, "eve").password)
    assert list_invitations(store) == []


def test_only_a_digest_of_the_link_is_stored(store):
    secret = secret_of(invitations.invite(store, "eve", "annotator", "max"))
    (stored,) = list_invitations(store)
    assert secret not in "".join(map(str, stored))
    assert len(stored.digest) == 64


def test_an_old_link_is_refused(store, monkeypatch):
    monkeypatch.setattr(invitations, "VALID_SECONDS", -1)
    link = invitations.invite(store, "eve", "annotator", "max")
    assert invitations.find(store, secret_of(link)).state == "expired"
    assert invitations.accept(store, secret_of(link), PASSWORD) is None
    assert find_user(store, "eve") is None


def test_a_new_link_replaces_the_earlier_one(store):
    first = invitations.invite(store, "eve", "annotator", "max")
    second = invitations.invite(store, "eve", "manager", "max")
    assert invitations.find(store, secret_of(first)) is None
    assert invitations.find(store, secret_of(second)).role == "manager"
    assert remove_invitations(store, "eve") == 1
    assert invitations.find(store, secret_of(second)) is None


def test_a_link_for_a_user_sets_a_new_password_and_keeps_the_role(store):
    add_user(store, "eve", "annotator", "no password fits this")
    link = invitations.invite_again(store, "eve", "max")
    invitations.accept(store, secret_of(link), PASSWORD)
    user = find_user(store, "eve")
    assert is_password(PASSWORD, user.password)
    assert user.role == "annotator"


def test_a_link_does_not_take_over_the_account_of_somebody_else(store):
    link = invitations.invite(store, "eve", "annotator", "max")
    add_user(store, "eve", "manager", "no password fits this")
    with pytest.raises(DataError, match="There is a user “eve” already"):
        invitations.accept(store, secret_of(link), PASSWORD)
    assert find_user(store, "eve").password == "no password fits this"  # noqa: S105


def test_wrong_invitations_are_refused(store):
    with pytest.raises(DataError, match="There is a user “max” already"):
        invitations.invite(store, "max", "annotator", "max")
    with pytest.raises(DataError, match="There is no user “eve”"):
        invitations.invite_again(store, "eve", "max")
    with pytest.raises(ValueError, match="name must be up to 100 letters"):
        invitations.invite(store, "<b>eve", "annotator", "max")
    with pytest.raises(ValueError, match="role"):
        invitations.invite(store, "eve", "king", "max")
    link = invitations.invite(store, "eve", "annotator", "max")
    with pytest.raises(ValueError, match="at least 8 characters"):
        invitations.accept(store, secret_of(link), "short")
    assert invitations.find(store, secret_of(link)).state == "open"


def test_links_by_somebody_who_is_no_longer_a_manager_end(store):
    add_user(store, "ann", "manager", "no password fits this")
    first = invitations.invite(store, "eve", "manager", "ann")
    change_user(store, "ann", role="annotator")
    assert invitations.find(store, secret_of(first)) is None
    change_user(store, "ann", role="manager")
    second = invitations.invite(store, "eve", "manager", "ann")
    remove_user(store, "ann")
    assert invitations.find(store, secret_of(second)) is None


def test_one_manager_stays(store):
    add_user(store, "ann", "annotator", "no password fits this")
    with pytest.raises(DataError, match="One manager must stay"):
        change_user(store, "max", role="annotator", keep_manager=True)
    with pytest.raises(DataError, match="One manager must stay"):
        remove_user(store, "max", keep_manager=True)
    assert find_user(store, "max").role == "manager"
    remove_user(store, "ann", keep_manager=True)
    assert [user.name for user in list_users(store)] == ["max"]


def test_a_store_without_users_invites_nobody(location):
    make_project(make(n=5), location)
    with (
        closing(open_store(location)) as store,
        pytest.raises(DataError, match="There must be a manager before others are invited"),
    ):
        invitations.invite(store, "eve", "annotator", "max")
