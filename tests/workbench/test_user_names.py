"""Names of users: one alphabet, and none that looks like another."""

from __future__ import annotations

from contextlib import closing

import pytest

from satc.errors import DataError
from satc.workbench.store import open_store
from satc.workbench.store.people import users
from satc.workbench.store.people.names import check_name, find_alike
from satc.workbench.web.access.accounts import add_user

CYRILLIC_A = "\u0430"


@pytest.mark.parametrize(
    "name",
    ["ann", "Ann.Li+2@example.org", "josé", "Анна", "Ελένη", "山田さん", "김철수", "محمد", "李2"],
)
def test_names_of_one_alphabet_are_allowed(name):
    check_name(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (f"{CYRILLIC_A}nn", "one alphabet"),
        ("anνa", "one alphabet"),  # a Greek nu
        ("аnна", "one alphabet"),
        ("ａｎｎ", "usual signs: “ann”"),
        ("ﬁn", "usual signs: “fin”"),
        ("ann\u3164", "up to 100 letters"),
        ("ann\u115f", "up to 100 letters"),
        ("ann\u200d", "up to 100 letters"),
        ("ꓮꓠꓠ", "one alphabet"),  # Lisu letters, which look like ANN
        ("two words", "up to 100 letters"),
        ("", "up to 100 letters"),
    ],
)
def test_other_names_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        check_name(name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Ann", "ann"),
        ("ANN", "ann"),
        ("ａｎｎ", "ann"),
        ("сор", "cop"),  # Cyrillic
        ("СОР", "cop"),
        ("ΑΝΝΑ", "anna"),  # Greek
        ("bob1", "bobl"),
        ("b0b", "bob"),
        ("Ida", "lda"),
        ("amold", "arnold"),
        ("straße", "STRASSE"),
    ],
)
def test_names_that_look_alike_are_found(name, other):
    assert find_alike(name, ["somebody", other]) == other
    assert find_alike(other, ["somebody", name]) == name


@pytest.mark.parametrize("other", ["anna", "an", "bnn", "jan", "Анна"])
def test_different_names_are_different(other):
    assert find_alike("ann", [other]) is None


@pytest.fixture
def store(location):
    with closing(open_store(location, new=True)) as store:
        users.add_user(store, "cop", "manager", "no password fits this")
        yield store


def test_a_user_whose_name_looks_like_another_is_not_added(store):
    for name in ("Cop", "сор"):
        with pytest.raises(DataError, match=f"“{name}” looks like “cop”"):
            add_user(store, name, "annotator", None)
    with pytest.raises(DataError, match="is a user “cop” already"):
        add_user(store, "cop", "annotator", None)
    assert [user.name for user in users.list_users(store)] == ["cop"]


def test_names_from_before_stay_valid(store):
    with store.writing() as connection:
        connection.exec_driver_sql(
            "INSERT INTO users (name, role, password, created_at) VALUES ('Cop', 'manager', '', '')"
        )
    assert users.find_user(store, "Cop").role == "manager"
    users.change_user(store, "Cop", role="annotator")
    add_user(store, "dora", "annotator", None)
