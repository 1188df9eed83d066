"""The overview for managers: people, days, the audit, and classes that need attention."""

from __future__ import annotations

import numpy as np
import pytest
from calling import TEAM, bearer, labels_of
from fastapi.testclient import TestClient
from projects_made import make, make_project

from satc.workbench.model.clock import now
from satc.workbench.review.desk import open_desk
from satc.workbench.review.managing import overview as overviews
from satc.workbench.review.managing.attention import expected_errors
from satc.workbench.review.managing.overview import Overviews, audit_status
from satc.workbench.review.managing.work import quarter_of
from satc.workbench.store import open_store


@pytest.fixture
def desk_of(tmp_path):
    """Make a project and open its desk."""
    stores = []

    def opening(made, **settings):
        stores.append(open_store(make_project(made, tmp_path / "made.satc", **settings)))
        return open_desk(stores[-1])

    yield opening
    for store in stores:
        store.close()


def decide(desk, who, labels=None, seconds=2.0):
    lease, _ = desk.next(who)
    chosen = desk.state.predicted(lease.document) if labels is None else labels
    desk.submit(lease.lease, who, chosen, seconds)
    return lease.document


def test_the_work_of_each_person_is_counted(desk_of):
    desk = desk_of(make(n=20))
    documents = [decide(desk, "ann"), decide(desk, "ann"), decide(desk, "bob", seconds=4.0)]
    other = [j for j in range(6) if j not in desk.state.predicted(documents[2])]
    desk.revise(documents[2], "ann", other, any_author=True)
    decide(desk, "ann", labels=[*range(6)], seconds=None)
    ann, bob = Overviews(desk).latest().people
    assert (ann.name, ann.n_decided, ann.n_second, ann.n_changed) == ("ann", 3, 0, 1)
    assert (ann.n_corrected, ann.seconds_per_document) == (1, 2.0)
    assert (bob.n_corrected, bob.seconds_per_document) == (0, 4.0)
    assert sum(n for _, n in ann.quarters) == 3
    assert abs(ann.quarters[-1][0] - quarter_of(now())) <= 1


def test_second_opinions_and_their_agreement_are_counted(desk_of):
    desk = desk_of(make(n=20), overlap=1.0)
    for _ in range(4):
        decide(desk, "ann", labels=[0, 1])
        decide(desk, "bob", labels=[0])
    latest = Overviews(desk).latest()
    assert [one.n_second for one in latest.people] == [0, 4]
    assert [tuple(one) for one in latest.agreement] == [(1, 4, 0)]


def test_expected_errors_are_the_sums_of_the_probabilities(desk_of, monkeypatch):
    desk = desk_of(make(n=40))
    for _ in range(7):
        decide(desk, "ann")
    documents, undecided = desk.validation.documents, ~desk.validation.is_validated
    probability = documents.misclassification.of_documents(slice(0, 40))[undecided]
    decided = documents.decided[undecided]
    found = expected_errors(documents, undecided, 6)
    for one in found:
        wrong = probability[decided[:, one.label], one.label].sum()
        missing = probability[~decided[:, one.label], one.label].sum()
        assert (one.wrong, one.missing) == pytest.approx((wrong, missing))
        assert one.predicted == decided[:, one.label].sum()
    sums = [one.wrong + one.missing for one in found]
    assert sums == sorted(sums, reverse=True)
    from satc.workbench.review.managing import attention

    monkeypatch.setattr(attention, "_BLOCK_CELLS", 30)  # blocks of five documents
    again = expected_errors(documents, undecided, 6)
    assert np.allclose(again, found)


def test_an_overview_is_reused_for_a_while(desk_of, monkeypatch):
    desk = desk_of(make(n=20))
    source = Overviews(desk)
    first = source.latest()
    decide(desk, "ann")
    assert source.latest() is first
    monkeypatch.setattr(overviews, "monotonic", lambda: 1e9)
    assert source.latest().people[0].n_decided == 1
    assert source.latest() is source.latest()


def test_drawn_documents_that_nobody_decided_are_named(desk_of):
    desk = desk_of(make(n=20), audit=1.0)
    assert audit_status(desk) is None
    decide(desk, "ann")
    lease, _ = desk.next("ann")
    status = audit_status(desk)
    assert (status.n_drawn, status.n_decided) == (2, 1)
    assert status.undecided == ((lease.document, "ann"),)
    desk.release(lease.lease)
    assert audit_status(desk).undecided == ((lease.document, None),)


def test_the_overview_over_http(team, made):
    with TestClient(team, base_url="http://workbench.example") as client:
        ann, boss = bearer(team, "ann"), bearer(team, "max")
        assert client.get(f"{TEAM}/overview", headers=ann).status_code == 403
        client.patch(TEAM, json={"audit": 1}, headers=boss)
        given = client.post(f"{TEAM}/next", headers=ann).json()["assignment"]
        sent = {"labels": labels_of(made, given["document"]["index"]), "seconds": 3}
        client.post(f"{TEAM}/leases/{given['lease']}/decision", json=sent, headers=ann)
        opened = client.post(f"{TEAM}/next", headers=ann).json()["assignment"]
        found = client.get(f"{TEAM}/overview", headers=boss).json()
    assert [one["name"] for one in found["people"]] == ["ann"]
    assert found["readers"] == ["ann", "max"]
    assert [one["lease"] for one in found["leases"]] == [opened["lease"]]
    assert found["audit"] == {
        "share": 1.0,
        "n_drawn": 2,
        "n_decided": 1,
        "n_undecided": 1,
        "undecided": [
            {"document": opened["document"]["index"], "id": opened["document"]["id"], "who": "ann"}
        ],
    }
    assert found["errors"][0]["wrong"] + found["errors"][0]["missing"] > 0.5
    assert found["agreement"] == []
