from datetime import datetime, timedelta
from time import monotonic

import numpy as np
import pytest
from projects_made import make, make_project

import satc
from satc.workbench.model import clock
from satc.workbench.model.clock import later
from satc.workbench.review import dispatch, journal, leases
from satc.workbench.review.desk import open_desk
from satc.workbench.review.explanation.document import explain
from satc.workbench.review.leases import ConflictError
from satc.workbench.store import StoreError, open_store
from satc.workbench.store.events import read_events


@pytest.fixture
def opened(location):
    """Make a project and open its desk; whatever is opened is closed in the end."""
    stores = []

    def opening(made=None, **settings):
        if made is not None:
            make_project(made, location, **settings)
        store = open_store(location)
        stores.append(store)
        return open_desk(store)

    yield opening
    for store in stores:
        store.close()


def labels_of(made, i):
    return np.flatnonzero(made.y_true[i]).tolist()


def work(desk, who, made, times=None):
    """Decide as the truth is, until nothing is left; return the documents in order."""
    order = []
    while times is None or len(order) < times:
        lease, reason = desk.next(who)
        if lease is None:
            assert reason
            break
        desk.submit(lease.lease, who, labels_of(made, lease.document), 1.5)
        order.append(lease.document)
    return order


def state(desk):
    """All that a rebuilt desk must agree on."""
    return (
        desk.validation.order.tolist(),
        desk.validation.labels.tolist(),
        {i: [d.number for d in ds] for i, ds in desk.record.decisions.items()},
        {i: [d.number for d in ds] for i, ds in desk.record.second_opinions.items() if ds},
        desk.record.flagged,
        desk.record.notes,
        +desk.record.n_decisions,
        desk.state.n_corrected,
        sorted((held.lease, held.document, held.who) for held in desk.leases),
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "contextual-dynamic", "baseline"])
def test_one_person_gets_the_order_of_simulate(opened, method):
    made = make(n=40)
    desk = opened(made, method=method)
    sim = satc.simulate(made.scores, made.y_true, **made.training, method=method)
    assert work(desk, "ann", made) == sim.order.tolist()


def test_two_people_never_get_the_same_document(opened):
    made = make(n=40)
    desk = opened(made)
    given = []
    for _ in range(20):
        for who in ("ann", "bob"):
            lease, _ = desk.next(who)
            given.append(lease.document)
            if len(given) % 3:
                desk.submit(lease.lease, who, [], None)
            if len(desk.leases.of(who)) > 5:
                break
    assert len(set(given)) == len(given)


@pytest.mark.slow
def test_the_state_can_be_rebuilt_from_the_log_alone(opened):
    made = make(n=40)
    desk = opened(made, overlap=0.3)
    rng = np.random.default_rng(1)
    for step in range(80):
        who = ("ann", "bob", "eve")[int(rng.integers(3))]
        lease, _ = desk.next(who)
        if lease is None:
            break
        match int(rng.integers(6)):
            case 0:
                desk.skip(lease.lease, who)
            case 1:
                desk.flag(lease.document, who, True)
                desk.note(lease.document, who, f"note {step}")
                desk.give_back(lease.lease, who)
            case 2:
                desk.submit(lease.lease, who, labels_of(made, lease.document), 2.0)
                desk.undo(who)
            case _:
                desk.submit(lease.lease, who, labels_of(made, lease.document), 2.0)
        if step % 7 == 6 and (last := desk.record.recent_decisions(1)):
            desk.revise(last[0].document, last[0].who, [0, 1], any_author=False)
    assert desk.validation.n_validated > 10
    assert state(opened()) == state(desk)


def test_submitting_twice_counts_once(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    first = desk.submit(lease.lease, "ann", [1], 1.0)
    assert desk.submit(lease.lease, "ann", [1], 1.0) == first
    assert desk.validation.n_validated == 1
    assert len(list(read_events(desk.store, desk.project.key))) == 1


def test_other_labels_for_the_same_lease_are_refused(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    first = desk.submit(lease.lease, "ann", [1, 2], 1.0)
    with pytest.raises(ConflictError, match="sent other labels for this document before"):
        desk.submit(lease.lease, "ann", [1], 1.0)
    assert desk.submit(lease.lease, "ann", [2, 1, 1], 3.0) == first
    desk.revise(lease.document, "ann", [3], any_author=False)
    assert desk.submit(lease.lease, "ann", [1, 2], 1.0) == first
    assert desk.record.current_decision(lease.document).labels == (3,)


def test_nobody_decides_by_another_ones_lease(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    with pytest.raises(ConflictError, match="no longer yours"):
        desk.submit(lease.lease, "bob", [1], 1.0)
    assert desk.validation.n_validated == 0


def test_undo_opens_the_document_again_and_leaves_the_others(opened):
    desk = opened(make(n=20))
    first, _ = desk.next("ann")
    desk.submit(first.lease, "ann", [1], 1.0)
    other, _ = desk.next("bob")
    desk.submit(other.lease, "bob", [2], 1.0)
    undone, again, _ = desk.undo("ann")
    assert (undone.document, undone.labels) == (first.document, (1,))
    assert again.document == first.document
    assert desk.validation.order.tolist() == [other.document]
    assert desk.next("bob")[0].document != first.document


def test_a_skipped_document_comes_back_later(opened, monkeypatch):
    desk = opened(make(n=30))
    skipped, _ = desk.next("ann")
    desk.skip(skipped.lease, "ann")
    seen = work(desk, "ann", make(n=30), times=25)
    assert seen.index(skipped.document) == 20
    desk.skip(desk.next("ann")[0].lease, "ann")


def test_a_skipped_document_goes_to_somebody_else_at_once(opened):
    desk = opened(make(n=30))
    skipped, _ = desk.next("ann")
    desk.skip(skipped.lease, "ann")
    assert desk.next("bob")[0].document == skipped.document


def test_what_was_skipped_comes_back_when_nothing_else_is_left(opened):
    desk = opened(make(n=5))
    skipped = []
    for _ in range(5):
        lease, _ = desk.next("ann")
        desk.skip(lease.lease, "ann")
        skipped.append(lease.document)
    assert sorted(skipped) == [0, 1, 2, 3, 4]
    assert desk.next("ann")[0].document == skipped[0]


def test_a_lease_that_ran_out_gives_the_document_to_somebody_else(opened, monkeypatch):
    desk = opened(make(n=20))
    monkeypatch.setattr(dispatch, "later", lambda seconds: "2000-01-01T00:00:00.000000+00:00")
    late, _ = desk.next("ann")
    monkeypatch.undo()
    lease, _ = desk.next("bob")
    assert lease.document == late.document
    with pytest.raises(ConflictError, match="went to somebody else"):
        desk.submit(late.lease, "ann", [1], 1.0)
    desk.submit(lease.lease, "bob", [1], 1.0)


def test_a_late_decision_counts_where_nobody_else_got_the_document(opened, monkeypatch):
    desk = opened(make(n=20))
    monkeypatch.setattr(dispatch, "later", lambda seconds: "2000-01-01T00:00:00.000000+00:00")
    late, _ = desk.next("ann")
    monkeypatch.undo()
    desk.submit(late.lease, "ann", [1], 1.0)
    assert desk.record.current_decision(late.document).labels == (1,)


def later_by(monkeypatch, seconds):
    """Let the monotonic clock go on."""
    monkeypatch.setattr(leases, "monotonic", lambda: monotonic() + seconds)


def test_a_lease_taken_while_the_clock_was_ahead_ends_in_time(opened, monkeypatch):
    desk = opened(make(n=20))
    monkeypatch.setattr(dispatch, "later", lambda seconds: later(seconds + 3 * 86_400))
    ahead, _ = desk.next("ann")
    monkeypatch.undo()
    later_by(monkeypatch, desk.project.settings.lease_seconds - 1)
    assert desk.next("bob")[0].document != ahead.document
    later_by(monkeypatch, desk.project.settings.lease_seconds + 1)
    assert desk.next("eve")[0].document == ahead.document


def test_a_lease_taken_while_the_clock_was_ahead_ends_after_a_restart_too(opened, monkeypatch):
    desk = opened(make(n=20))
    monkeypatch.setattr(dispatch, "later", lambda seconds: later(seconds + 3 * 86_400))
    ahead, _ = desk.next("ann")
    monkeypatch.undo()
    again = opened()
    (held,) = again.leases.of("ann")
    assert held.expires_at <= later(again.project.settings.lease_seconds)
    assert again.leases.reader(ahead.document, "ranked") == "ann"
    later_by(monkeypatch, again.project.settings.lease_seconds + 1)
    assert again.next("bob")[0].document == ahead.document


def test_a_clock_that_is_set_forward_ends_no_lease(opened, monkeypatch):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    monkeypatch.setattr(clock, "datetime", ClockAhead)
    assert desk.next("bob")[0].document != lease.document


class ClockAhead(datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + timedelta(days=3)


def test_leases_outlive_a_restart(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    again = opened()
    assert [held.document for held in again.leases.of("ann")] == [lease.document]
    assert again.next("bob")[0].document != lease.document


def test_nobody_holds_more_than_a_few_documents(opened):
    desk = opened(make(n=20))
    for _ in range(dispatch.OPEN_AT_ONCE):
        desk.next("ann")
    with pytest.raises(ConflictError, match="documents open"):
        desk.next("ann")


def test_overlap_asks_another_person_and_counts_once(opened):
    made = make(n=12)
    desk = opened(made, overlap=1.0)
    first, _ = desk.next("ann")
    desk.submit(first.lease, "ann", [1], 1.0)
    assert desk.next("ann")[0].document != first.document
    second, _ = desk.next("bob")
    assert second.document == first.document
    desk.submit(second.lease, "bob", [2], 1.0)
    assert desk.record.current_decision(first.document).labels == (1,)
    assert [one.labels for one in desk.record.second_opinions[first.document]] == [(2,)]
    assert desk.validation.n_validated == 1


def test_an_earlier_decision_can_be_changed_by_its_author_or_a_manager(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    with pytest.raises(ConflictError, match="nothing to change"):
        desk.revise(lease.document, "ann", [0], any_author=True)
    desk.submit(lease.lease, "ann", [1], 1.0)
    with pytest.raises(ConflictError, match="ann has decided"):
        desk.revise(lease.document, "bob", [0], any_author=False)
    desk.revise(lease.document, "bob", [0], any_author=True)
    assert desk.record.current_decision(lease.document).labels == (0,)
    assert [d.labels for d in desk.record.decisions[lease.document]] == [(1,), (0,)]
    desk.undo("bob")
    assert desk.record.current_decision(lease.document).labels == (1,)
    assert desk.validation.labels[lease.document].tolist() == [False, True] + [False] * 4


def test_blind_documents_record_that_nothing_was_shown(opened):
    desk = opened(make(n=20), blind=1.0)
    lease, _ = desk.next("ann")
    assert lease.shown.is_blind
    assert lease.shown.predicted == lease.shown.suggested == ()
    assert "predicted" not in lease.shown.as_json()


def test_what_was_shown_is_recorded(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    desk.submit(lease.lease, "ann", [1], 4.5)
    (event,) = read_events(desk.store, desk.project.key)
    shown = [label for label, _, _ in event.details["shown"]["predicted"]]
    assert sorted(shown) == list(desk.state.predicted(lease.document))
    assert event.details["seconds"] == 4.5
    assert event.who == "ann"


def test_if_saving_fails_nothing_has_happened(opened, monkeypatch):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    before = state(desk)

    def full(*_):
        raise StoreError("database or disk is full")

    monkeypatch.setattr(journal, "append", full)
    monkeypatch.setattr(journal.stored_leases, "add_lease", full)
    with pytest.raises(StoreError, match="full"):
        desk.submit(lease.lease, "ann", [1], 1.0)
    with pytest.raises(StoreError, match="full"):
        desk.next("ann")
    assert state(desk) == before
    monkeypatch.undo()
    desk.submit(lease.lease, "ann", [1], 1.0)
    assert state(opened()) == state(desk)


def test_labels_must_be_classes(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    with pytest.raises(ValueError, match="labels must be classes, 0 to 5"):
        desk.submit(lease.lease, "ann", [6], 1.0)


def test_a_second_reader_can_skip_renew_and_sees_nothing_of_the_first(opened):
    from satc.workbench.web.api.responses.assignments import assignment_response
    from satc.workbench.web.api.responses.documents import document_state

    desk = opened(make(n=12), overlap=1.0)
    first, _ = desk.next("ann")
    desk.flag(first.document, "ann", True)
    desk.note(first.document, "ann", "hm")
    desk.submit(first.lease, "ann", [1], 1.0)
    second, _ = desk.next("bob")
    assert second.document == first.document
    desk.renew(second.lease, "bob")
    shown = document_state(desk, first.document, "bob")
    assert (shown.who, shown.note, shown.flagged) == (None, "", False)
    assert shown.labels == list(desk.state.predicted(first.document))
    assert assignment_response(desk, second).note == ""
    desk.skip(second.lease, "bob")
    assert desk.next("bob")[0].document != first.document
    assert document_state(desk, first.document, "eve").who == "ann"


def test_undo_takes_the_time_back(opened):
    desk = opened(make(n=12))
    lease, _ = desk.next("ann")
    desk.submit(lease.lease, "ann", [1], 7.0)
    assert (desk.record.seconds, desk.record.n_timed) == (7.0, 1)
    desk.undo("ann")
    assert (desk.record.seconds, desk.record.n_timed) == (0.0, 0)


def test_documents_since_the_last_correction_are_counted_once(opened):
    desk = opened(make(n=12))
    for _ in range(3):
        lease, _ = desk.next("ann")
        desk.submit(lease.lease, "ann", desk.state.predicted(lease.document), 1.0)
    assert desk.state.n_since_correction() == 3
    desk.revise(lease.document, "ann", desk.state.predicted(lease.document), any_author=False)
    assert desk.state.n_since_correction() == 3
    desk.undo("ann")
    desk.undo("ann")
    assert desk.state.n_since_correction() == 2


def test_a_project_in_the_order_of_others_follows_it_and_names_its_method(opened):
    made = make()
    desk = opened(made, method="least-confidence")
    ranking = satc.rank(made.scores, **made.training, method="least-confidence")
    assert work(desk, "ana", made, times=5) == ranking.order[:5].tolist()
    document = int(ranking.order[5])
    lease, _ = desk.next("ana")
    assert lease.document == document
    said = str(explain(desk, document, "ana").sentence)
    assert said.startswith("This document is next in the order of the method least-confidence: ")
