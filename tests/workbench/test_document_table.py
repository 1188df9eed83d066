"""The table of all documents: filters, order, and what each person may see."""

import functools
import operator

import numpy as np
import pytest
from calling import BASE, TEAM, bearer
from projects_made import make, make_project

from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.review.desk import open_desk
from satc.workbench.review.documents.filters import Filters, passing
from satc.workbench.review.documents.states import DocumentStates
from satc.workbench.review.documents.table import DocumentTable, Order
from satc.workbench.review.documents.visibility import Reader, hidden_from
from satc.workbench.store import open_store
from satc.workbench.store.search.query import parse_query

MANAGER = Reader("max", is_manager=True)
TEXTS = [f"Document {i} about {word}" for i, word in enumerate(["gold", "oil", "grain"] * 10)]


@pytest.fixture
def made_desk(location):
    """Open a project of 30 documents in which half get a second opinion and a third are blind."""
    make_project(make(n=30, texts=TEXTS), location, overlap=0.5, blind=0.3, audit=0.3, seed=3)
    store = open_store(location)
    store.lock()
    yield open_desk(store)
    store.close()


def work(desk, people=("ann", "bob"), rounds=20):
    """Let people decide, correct, skip, flag and write notes."""
    rng = np.random.default_rng(0)
    for k in range(rounds):
        who = people[k % len(people)]
        lease, _ = desk.next(who)
        if lease is None:
            continue
        if k % 7 == 3:
            desk.skip(lease.lease, who)
            continue
        labels = list(desk.state.predicted(lease.document)) if k % 2 else rng.choice(6, 2).tolist()
        desk.submit(lease.lease, who, labels, 1.0)
        if k % 5 == 0:
            desk.flag(lease.document, who, True)
        if k % 4 == 0:
            desk.note(lease.document, who, f"note {k}")


BY_RANK = Order()


def found(desk, reader=MANAGER, query=None, order=BY_RANK, **filters):
    table = DocumentTable(desk)
    text = None if query is None else parse_query(query)
    return [one.document for one in table.page(reader, text, Filters(**filters), order).documents]


def test_the_states_after_each_event_are_those_of_the_whole_record(made_desk):
    table = DocumentTable(made_desk)
    table.page(MANAGER, None, Filters(), Order())
    work(made_desk)
    made_desk.undo("ann")
    made_desk.undo("bob")
    kept = table._present_states()
    fresh = DocumentStates(made_desk.record, made_desk.validation.documents.decided)
    for name in ("number", "corrected", "disagreed"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(fresh, name))
    for name in ("by_label", "by_person", "by_source"):
        known = {key: some for key, some in getattr(kept, name).items() if some}
        assert known == dict(getattr(fresh, name))


def test_filters_say_the_same_as_the_record(made_desk):
    work(made_desk)
    record, every = made_desk.record, range(30)
    current = {i: record.current_decision(i) for i in every}
    decided = [i for i in every if current[i] is not None]
    corrected = [i for i in decided if current[i].labels != made_desk.state.predicted(i)]
    expected = {
        ("state", "decided"): decided,
        ("state", "undecided"): [i for i in every if i not in decided],
        ("flagged", True): sorted(record.flagged),
        ("flagged", False): [i for i in every if i not in record.flagged],
        ("noted", True): sorted(record.notes),
        ("skipped", True): sorted(record.skipped - set(decided)),
        ("predicted", 2): [i for i in every if 2 in made_desk.state.predicted(i)],
        ("decided", 1): [i for i in decided if 1 in current[i].labels],
        ("by", "ann"): [i for i in every if record.has_decided("ann", i)],
        ("by", "nobody"): [],
        ("corrected", True): corrected,
        ("corrected", False): [i for i in decided if i not in corrected],
        ("source", "audit"): sorted(record.drawn_for_audit),
        ("source", "second"): sorted(record.second_opinions),
        ("source", "imported"): [],
    }
    assert corrected
    for (name, value), documents in expected.items():
        order = Order("position")
        assert found(made_desk, order=order, **{name: value}) == documents, (name, value)


def test_filters_and_search_are_combined(made_desk):
    work(made_desk)
    gold = [i for i in range(30) if i % 3 == 0]
    decided = {one.document for one in made_desk.record.current_decisions()}
    assert found(made_desk, query="gold", order=Order("position")) == gold
    both = found(made_desk, query="gol", state="decided", order=Order("position"))
    assert both == [i for i in gold if i in decided]
    assert found(made_desk, query="!!!") == []


def test_open_documents_are_found(made_desk):
    lease, _ = made_desk.next("ann")
    assert found(made_desk, state="open") == [lease.document]


def test_the_order_of_rank_is_the_order_in_which_documents_come(made_desk):
    first = found(made_desk)[0]
    assert made_desk.next("ann")[0].document == first


def test_opening_a_document_does_not_move_it(made_desk):
    before = found(made_desk)
    for document in (before[4], before[11], before[29]):
        made_desk.open_chosen(document, "ann")
    assert found(made_desk) == before


@pytest.mark.parametrize(("by", "first", "last"), [("position", 0, 29), ("id", 0, 29)])
def test_documents_are_sorted(made_desk, by, first, last):
    up = found(made_desk, order=Order(by))
    down = found(made_desk, order=Order(by, descending=True))
    assert (up[0], up[-1]) == (first, last)
    assert down == up[::-1]


def test_documents_are_sorted_by_length_and_by_time(made_desk):
    work(made_desk)
    lengths = [len(TEXTS[i]) for i in found(made_desk, order=Order("length", descending=True))]
    assert lengths == sorted(lengths, reverse=True)
    for descending in (False, True):
        order = Order("when", descending)
        decided = len(made_desk.record.current_decisions())
        listed = found(made_desk, order=order)
        times = [made_desk.record.current_decision(i).at for i in listed[:decided]]
        assert times == sorted(times, reverse=descending)
        assert set(map(made_desk.record.current_decision, listed[decided:])) == {None}


def test_pages_do_not_overlap(tmp_path):
    make_project(make(n=120), tmp_path / "made.satc")
    store = open_store(tmp_path / "made.satc")
    desk = open_desk(store)
    pages = [found(desk, order=Order(page=k)) for k in (1, 2, 3, 4)]
    store.close()
    assert [len(page) for page in pages] == [50, 50, 20, 0]
    assert sorted(functools.reduce(operator.iadd, pages, [])) == list(range(120))


def test_an_annotator_does_not_see_decisions_that_they_may_have_to_repeat(made_desk):
    work(made_desk, people=("ann",))
    states = DocumentStates(made_desk.record, made_desk.validation.documents.decided)
    mine = hidden_from(made_desk, states, Reader("ann", is_manager=False))
    others = hidden_from(made_desk, states, Reader("bob", is_manager=False))
    assert not mine.decisions.any()
    assert others.decisions.any()
    assert not others.decisions[states.number == 0].any()
    bob = Reader("bob", is_manager=False)
    for filters in (
        {"by": "ann"},
        {"flagged": True},
        {"noted": True},
        {"corrected": True},
        {"corrected": False},
        {"source": "ranked"},
        *({"decided": label} for label in range(6)),
    ):
        shown = passing(made_desk, states, Filters(**filters), others)
        assert not (shown & others.decisions).any(), filters
    assert set(found(made_desk, bob, by="ann")) < set(found(made_desk, by="ann"))


def test_an_annotator_does_not_see_the_predictions_of_blind_documents(made_desk):
    states = DocumentStates(made_desk.record, made_desk.validation.documents.decided)
    hidden = hidden_from(made_desk, states, Reader("ann", is_manager=False))
    assert hidden.predictions.any()
    for label in range(6):
        shown = passing(made_desk, states, Filters(predicted=label), hidden)
        assert not (shown & hidden.predictions).any()
    assert not hidden_from(made_desk, states, MANAGER).predictions.any()


def test_a_manager_who_reads_second_does_not_see_the_first_opinion(made_desk):
    work(made_desk, people=("ann",))
    while (lease := made_desk.next("max")[0]) is not None and lease.shown.source != "second":
        made_desk.skip(lease.lease, "max")
    states = DocumentStates(made_desk.record, made_desk.validation.documents.decided)
    assert hidden_from(made_desk, states, MANAGER).decisions[lease.document]
    assert lease.document not in found(made_desk, by="ann")


def rows(client, base=BASE, headers=None, **query):
    answer = client.get(f"{base}/documents", params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_route_lists_documents_with_marked_matches(client, made):
    word = made.texts[7].split()[3]
    answer = rows(client, q=word)
    assert answer["total"] >= 1
    assert answer["n_pages"] == 1
    row = next(one for one in answer["documents"] if one["index"] == 7)
    assert next(p["text"].lower() for p in row["excerpt"] if p["match"]) == word
    assert row["id"] == "d7"
    assert not row["is_decided"]
    assert row["labels"] is None


def test_a_decided_row_says_who_decided_what(client):
    assignment = client.post(f"{BASE}/documents/3/lease").json()
    labels = {"labels": [0, 2]}
    client.post(f"{BASE}/leases/{assignment['lease']}/decision", json=labels)
    (row,) = rows(client, state="decided")["documents"]
    assert (row["index"], row["labels"], row["sources"]) == (3, [0, 2], ["chosen"])
    assert row["who"]
    assert row["when"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"predicted": 99}, 404),
        ({"decided": -1}, 422),
        ({"state": "lost"}, 422),
        ({"sort": "colour"}, 422),
        ({"page": 0}, 422),
        ({"q": "x" * 501}, 422),
        ({"q": "\x00 \" * ) ' --"}, 200),
        ({"page": 1000}, 200),
    ],
)
def test_the_route_refuses_filters_that_make_no_sense(client, query, status):
    answer = client.get(f"{BASE}/documents", params=query)
    assert answer.status_code == status


def test_a_chosen_document_is_leased(client, made):
    assignment = client.post(f"{BASE}/documents/11/lease").json()
    assert assignment["document"]["index"] == 11
    again = client.post(f"{BASE}/documents/11/lease").json()
    assert again["lease"] == assignment["lease"]
    (event,) = rows(client, state="open")["documents"]
    assert event["index"] == 11
    assert event["open_by"]


def test_a_document_that_is_decided_cannot_be_leased(client):
    assignment = client.post(f"{BASE}/documents/11/lease").json()
    client.post(f"{BASE}/leases/{assignment['lease']}/decision", json={"labels": [1]})
    refused = client.post(f"{BASE}/documents/11/lease")
    assert refused.status_code == 409
    assert "decided already" in refused.json()["detail"]


def test_a_document_that_somebody_reads_cannot_be_leased(team, stranger):
    ann, manager = bearer(team, "ann"), bearer(team, "max")
    assert stranger.post(f"{TEAM}/documents/5/lease", headers=ann).status_code == 200
    refused = stranger.post(f"{TEAM}/documents/5/lease", headers=manager)
    assert refused.status_code == 409
    assert "ann has this document open" in refused.json()["detail"]


def test_the_table_needs_a_login(stranger):
    assert stranger.get(f"{TEAM}/documents").status_code == 401


def test_only_so_many_documents_can_be_opened(client):
    for index in range(10):
        assert client.post(f"{BASE}/documents/{index}/lease").status_code == 200
    assert client.post(f"{BASE}/documents/10/lease").status_code == 409
    assert client.post(f"{BASE}/documents/9/lease").status_code == 200


def test_an_imported_decision_is_a_source(made_desk):
    event = Event(0, "2026-01-01T00:00:00.000000+00:00", "x", events.DECIDE, 4, (1,))
    made_desk._journal.record(event)
    assert found(made_desk, source="imported") == [4]
