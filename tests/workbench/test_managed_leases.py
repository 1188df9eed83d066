"""Managers release the documents that people have open, and give them to somebody else."""

from __future__ import annotations

import pytest
from calling import TEAM, bearer, labels_of
from fastapi.testclient import TestClient
from projects_made import make, make_project

from satc.workbench.review.desk import open_desk
from satc.workbench.review.dispatch import OPEN_AT_ONCE
from satc.workbench.review.leases import ConflictError
from satc.workbench.store import open_store


@pytest.fixture
def opened(location):
    """Make a project and open its desk; whatever is opened is closed in the end."""
    stores = []

    def opening(made=None, **settings):
        if made is not None:
            make_project(made, location, **settings)
        stores.append(open_store(location))
        return open_desk(stores[-1])

    yield opening
    for store in stores:
        store.close()


def test_a_released_document_goes_to_the_next_person(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    desk.release(lease.lease)
    assert desk.next("bob")[0].document == lease.document
    with pytest.raises(ConflictError, match="no longer yours"):
        desk.submit(lease.lease, "ann", [0], None)
    with pytest.raises(ConflictError, match="Nobody has this document open"):
        desk.release(lease.lease)


def test_an_assigned_document_is_the_next_one_of_its_new_reader(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    given = desk.assign(lease.lease, "bob")
    assert given.document == lease.document
    assert given.lease != lease.lease
    assert desk.next("bob")[0] == given
    assert desk.next("bob")[0] != given
    with pytest.raises(ConflictError, match="no longer yours"):
        desk.submit(lease.lease, "ann", [0], None)
    desk.submit(given.lease, "bob", [0], None)
    assert desk.record.current_decision(lease.document).who == "bob"


def test_an_assigned_document_survives_a_restart(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    given = desk.assign(lease.lease, "bob")
    again = opened()
    assert [held.lease for held in again.leases.of("bob")] == [given.lease]
    assert again.leases.of("bob")[0].opened_at == given.opened_at
    assert not again.leases.of("ann")
    assert again.validation.is_taken(lease.document)


def test_an_audited_document_stays_audited(opened):
    desk = opened(make(n=20), audit=1.0)
    lease, _ = desk.next("ann")
    assert lease.shown.source == "audit"
    given = desk.assign(lease.lease, "bob")
    assert given.shown.source == "audit"
    assert desk.record.drawn_for_audit == [lease.document]


def test_an_expired_document_can_be_assigned(opened):
    desk = opened(make(n=20), lease_seconds=1)
    lease, _ = desk.next("ann")
    desk.leases.release_expired()
    given = desk.assign(lease.lease, "bob")
    assert given.document == lease.document
    assert desk.validation.is_taken(lease.document)


def test_a_second_opinion_does_not_go_to_the_first_reader(opened):
    made = make(n=20)
    desk = opened(made, overlap=1.0)
    first, _ = desk.next("ann")
    desk.submit(first.lease, "ann", labels_of(made, first.document), 1.0)
    second, _ = desk.next("bob")
    assert second.shown.source == "second"
    with pytest.raises(ConflictError, match="must come from somebody else"):
        desk.assign(second.lease, "ann")
    assert desk.assign(second.lease, "eve").shown.source == "second"


def test_nobody_gets_a_document_twice_or_too_many(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    with pytest.raises(ConflictError, match="ann has this document open already"):
        desk.assign(lease.lease, "ann")
    for _ in range(OPEN_AT_ONCE):
        desk.next("bob")
    with pytest.raises(ConflictError, match="bob has 10 documents open"):
        desk.assign(lease.lease, "bob")


@pytest.fixture
def people(team):
    """Return a client, and the headers of ann, an annotator, and max, a manager."""
    with TestClient(team, base_url="http://workbench.example") as client:
        yield client, bearer(team, "ann"), bearer(team, "max")


def test_a_manager_sees_who_has_what_open(people):
    client, ann, boss = people
    given = client.post(f"{TEAM}/next", headers=ann).json()["assignment"]
    (line,) = client.get(f"{TEAM}/leases", headers=boss).json()["leases"]
    assert line["lease"] == given["lease"]
    assert line["id"] == given["document"]["id"]
    assert (line["who"], line["source"], line["has_expired"]) == ("ann", "ranked", False)
    assert line["since"] < line["expires"]


def test_a_manager_releases_and_assigns_over_http(people):
    client, ann, boss = people
    lease = client.post(f"{TEAM}/next", headers=ann).json()["assignment"]["lease"]
    path = f"{TEAM}/leases/{lease}"
    answer = client.post(f"{path}/assign", json={"who": "nobody"}, headers=boss)
    assert answer.status_code == 404
    given = client.post(f"{path}/assign", json={"who": "max"}, headers=boss).json()
    assert given["who"] == "max"
    assert client.delete(path, headers=boss).status_code == 409
    sent = {"labels": [0], "seconds": 1.0}
    assert client.post(f"{path}/decision", json=sent, headers=ann).status_code == 409
    assert client.delete(f"{TEAM}/leases/{given['lease']}", headers=boss).status_code == 200
    assert client.get(f"{TEAM}/leases", headers=boss).json() == {"leases": []}


def test_a_page_that_lists_an_assigned_document_does_not_get_it_again(people):
    client, ann, boss = people
    lease = client.post(f"{TEAM}/next", headers=ann).json()["assignment"]["lease"]
    client.post(f"{TEAM}/leases/{lease}/assign", json={"who": "max"}, headers=boss)
    (listed,) = client.get(f"{TEAM}/assignments", headers=boss).json()["assignments"]
    following = client.post(f"{TEAM}/next", headers=boss).json()["assignment"]
    assert following["lease"] != listed["lease"]


def test_annotators_do_not_manage_leases(people):
    client, ann, boss = people
    lease = client.post(f"{TEAM}/next", headers=boss).json()["assignment"]["lease"]
    assert client.get(f"{TEAM}/leases", headers=ann).status_code == 403
    path = f"{TEAM}/leases/{lease}"
    assert client.post(f"{path}/assign", json={"who": "ann"}, headers=ann).status_code == 403
    assert client.delete(path, headers=ann).status_code == 409
