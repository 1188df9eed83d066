"""Actions that are committed together: what they change is stored in a few statements."""

from contextlib import closing

import numpy as np
import pytest
from projects_made import make, make_project
from sqlalchemy import event as engine_events
from test_desk import state
from test_writer import PEOPLE, leases_of, results, together

from satc.workbench.model import events
from satc.workbench.model.shown import Shown
from satc.workbench.project.verification.verification import verify
from satc.workbench.review.desk import open_desk
from satc.workbench.review.writing import leased_documents
from satc.workbench.store import Store, StoreError, open_store
from satc.workbench.store.changes.changes import Changes
from satc.workbench.store.documents import get_document
from satc.workbench.store.events import read_events
from satc.workbench.store.leases import (
    Lease,
    add_lease,
    extend_lease,
    read_leases,
    remove_leases,
)


@pytest.fixture
def desk(location):
    make_project(make(n=40), location)
    with closing(open_store(location)) as store:
        yield open_desk(store)


def n_statements(desk, action):
    """Count the statements of an action, and return its result."""
    sent = []

    def note(*arguments):
        sent.append(arguments[2])

    engine_events.listen(desk.store.engine, "before_cursor_execute", note)
    result = action()
    engine_events.remove(desk.store.engine, "before_cursor_execute", note)
    return len(sent), result


def test_a_group_of_many_needs_as_many_statements_as_a_group_of_two(desk):
    def work(people):
        held = leases_of(desk, people)
        decisions = [(desk.submit, held[who].lease, who, [1], 1.0) for who in people]
        asked = [(desk.next, f"other {who}") for who in people]
        return n_statements(desk, lambda: results(together(desk, *decisions, *asked)))

    work([*PEOPLE, "zoe", "max"])  # the first decision of a person stores the person
    few, _ = work(PEOPLE[:2])
    many, found = work([*PEOPLE, "zoe", "max"])
    assert not [one for one in found if isinstance(one, Exception)]
    assert few == many


def test_the_events_of_a_group_are_one_chain(desk):
    held = leases_of(desk, PEOPLE)
    group = [(desk.submit, lease.lease, who, [1], 1.0) for who, lease in held.items()]
    group += [(desk.note, 3, "ann", "hm"), (desk.undo, "bob"), (desk.flag, 5, "new", True)]
    results(together(desk, *group))
    desk.flag(6, "new", True)
    numbers = [one.number for one in read_events(desk.store, desk.project.key)]
    assert numbers == list(range(1, len(group) + 2))
    assert verify(desk.store, None, lambda step: None).faults == []


def test_an_event_that_cannot_be_stored_does_not_hurt_the_others(desk, location):
    held = leases_of(desk, PEOPLE)
    desk.submit(held["ann"].lease, "ann", [1], 1.0)

    def decide_twice():
        event = desk.state.new_event("ann", events.SKIP, 7, lease=held["ann"].lease)
        desk._journal.record(event)

    group = [(desk.submit, held[who].lease, who, [1], 1.0) for who in PEOPLE[1:]]
    first, wrong, *others = results(together(desk, group[0], (decide_twice,), *group[1:]))
    assert isinstance(wrong, StoreError)
    assert [first, *others] == [2, 3, 4]
    with closing(open_store(location)) as store:
        assert state(open_desk(store)) == state(desk)


def test_changes_of_leases_are_stored_as_if_each_were_stored_at_once(desk):
    rng, known, n = np.random.default_rng(5), {}, 0
    project = desk.project.key
    for _ in range(15):
        with desk.store.writing() as connection:
            changes = Changes(connection, project)
            for _ in range(int(rng.integers(1, 8))):
                kind, n = int(rng.integers(3)), n + 1
                if kind == 0 or not known:
                    lease = Lease(f"lease{n}", n, "ann", f"end {n}", Shown("ranked", 0, True))
                    add_lease(changes.leases, lease)
                    known[lease.lease] = lease.expires_at
                    continue
                chosen = sorted(known)[int(rng.integers(len(known)))]
                if kind == 1:
                    known[chosen] = f"end {n}"
                    lease = Lease(chosen, 0, "ann", known[chosen], Shown("ranked", 0, True))
                    extend_lease(changes.leases, changed(changes, lease))
                else:
                    del known[chosen]
                    remove_leases(changes.leases, [chosen])
            changes.write()
        stored = {one.lease: one.expires_at for one in read_leases(desk.store, project)}
        assert stored == known


def changed(changes, lease):
    """Return a lease with another end; a lease of the same transaction keeps its document."""
    opened = changes.leases.opened.get(lease.lease, lease)
    return Lease(lease.lease, opened.document, lease.who, lease.expires_at, lease.shown)


def test_a_document_that_is_leased_is_in_memory(desk, monkeypatch):
    def none(store):
        raise StoreError("the store is read")

    leases = results(together(desk, *((desk.next, who) for who in PEOPLE)))
    stored = [get_document(desk.store, desk.project.key, one.document) for one, _ in leases]
    monkeypatch.setattr(Store, "reading", none)
    assert [desk.leased_documents.find(one.document) for one, _ in leases] == stored


@pytest.mark.parametrize(("limit", "most"), [("_MOST", 2), ("_MOST_CHARACTERS", 200)])
def test_documents_that_were_read_long_ago_make_room(desk, monkeypatch, limit, most):
    monkeypatch.setattr(leased_documents, limit, most)
    documents = [desk.next(who)[0].document for who in PEOPLE]
    found = [desk.leased_documents.find(one) is not None for one in documents]
    assert found == [False, False, True, True]
