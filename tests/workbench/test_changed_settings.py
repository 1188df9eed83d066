"""Managers change the settings of a project while it is served."""

from __future__ import annotations

import pytest
from calling import BASE, TEAM, bearer
from fastapi.testclient import TestClient
from projects_made import make, make_project

from satc.workbench.model.setting_changes import CHANGEABLE, changed_settings
from satc.workbench.model.settings import Settings
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.projects import change_settings, get_project


def test_a_change_is_checked_like_a_new_setting():
    settings = Settings("Claims")
    assert changed_settings(settings, {"price": 30.0}).price == 30.0
    for changes, message in (
        ({"overlap": 1.5}, "overlap must be a share from 0 to 1, but is 1.5"),
        ({"price": -1.0}, "price must be a number from 0 up, but is -1.0"),
        ({"stop": "target(2"}, "stop|rule|target"),
        ({"title": " "}, "title must not be empty"),
        ({"cap": 9}, "cap cannot be changed after the project was made"),
        ({"lease_seconds": 0}, "lease_seconds must be at least 1"),
    ):
        with pytest.raises(ValueError, match=message):
            changed_settings(settings, changes)


def test_a_stopping_rule_is_stored_in_its_canonical_form():
    changed = changed_settings(Settings("Claims"), {"stop": " budget( hours = 8 ) "})
    assert changed.stop == "budget(hours=8)"


def test_another_overlap_asks_for_second_opinions_at_once(location):
    make_project(make(n=20), location)
    store = open_store(location)
    desk = open_desk(store)
    lease, _ = desk.next("ann")
    desk.submit(lease.lease, "ann", [0], 1.0)
    assert desk.next("bob")[0].shown.source == "ranked"
    desk.change_settings({"overlap": 1.0})
    second, _ = desk.next("bob")
    assert (second.shown.source, second.document) == ("second", lease.document)
    desk.change_settings({"overlap": 0.0, "audit": 1.0})
    assert desk.next("eve")[0].shown.source == "audit"
    assert get_project(store).settings.audit == 1.0
    store.close()


def test_changes_made_by_the_command_line_meanwhile_are_kept(client, app):
    store = app.state.open_projects.store
    client.get(BASE)  # open the project
    other = open_store(store.location)
    found = get_project(other)
    change_settings(other, found, changed_settings(found.settings, {"price": 20.0}))
    other.close()
    answer = client.patch(BASE, json={"title": "Other"}).json()
    assert answer["changeable"]["price"] == 20.0
    assert client.get(BASE).json()["title"] == "Other"


def test_the_settings_change_over_http(client):
    before = client.get(f"{BASE}/settings").json()
    assert list(before["changeable"]) == list(CHANGEABLE)
    assert before["fixed"]["cap"] == 5
    sent = {
        "title": "Claims of 2026",
        "guidelines": "Read all of it.",
        "overlap": 0.2,
        "blind": 1,
        "lease_seconds": 600,
        "audit": 0.1,
        "stop": "budget(documents=5)",
        "price": 12.5,
    }
    after = client.patch(BASE, json=sent).json()["changeable"]
    assert after == sent | {"stop": "budget(documents=5)"}
    assert client.get(BASE).json()["guidelines"] == "Read all of it."
    assert client.post(f"{BASE}/next").json()["assignment"]["blind"]
    assert client.patch(BASE, json={"price": None}).json()["changeable"]["price"] is None


@pytest.mark.parametrize(
    ("sent", "code", "said"),
    [
        ({"overlap": 2}, 400, "overlap must be a share from 0 to 1"),
        ({"stop": "nonsense"}, 400, "nonsense"),
        ({"title": ""}, 400, "title must not be empty"),
        ({"cap": 1}, 422, "cap"),
        ({"lease_seconds": 5}, 422, "lease_seconds"),
        ({"price": -3}, 400, "price must be a number from 0 up"),
    ],
)
def test_wrong_settings_are_refused_in_a_sentence(client, sent, code, said):
    answer = client.patch(BASE, json=sent)
    assert answer.status_code == code
    assert said in answer.json()["detail"]


def test_a_code_book_is_replaced_at_once(client):
    classes = client.get(f"{BASE}/classes").json()["classes"]
    rows = "".join(f"{code},Name of {code}\n" for code in [*classes, "extra"])
    file = {"classes": ("book.csv", f"code,name\n{rows}".encode())}
    answer = client.put(f"{BASE}/code-book", files=file)
    assert answer.json() == {
        "n_classes": len(classes),
        "unused": ["extra"],
        "needs_restart": False,
    }
    book = client.get(f"{BASE}/classes").json()["book"]
    assert book[0]["name"] == f"Name of {classes[0]}"
    assert client.get(f"{BASE}/settings").json()["has_code_book"]


def test_a_code_book_that_does_not_fit_changes_nothing(client):
    for name, content, code in (
        ("book.csv", b"code,name\nother,Other\n", 400),
        ("book.exe", b"x", 422),
    ):
        answer = client.put(f"{BASE}/code-book", files={"classes": (name, content)})
        assert answer.status_code == code
        assert "satc-" not in answer.json()["detail"]
    assert client.get(f"{BASE}/classes").json()["book"] is None


def test_annotators_neither_see_nor_change_settings(team):
    with TestClient(team, base_url="http://workbench.example") as client:
        ann = bearer(team, "ann")
        assert client.get(f"{TEAM}/settings", headers=ann).status_code == 403
        assert client.patch(TEAM, json={"title": "x"}, headers=ann).status_code == 403
        file = {"classes": ("book.csv", b"code\nx\n")}
        assert client.put(f"{TEAM}/code-book", files=file, headers=ann).status_code == 403
