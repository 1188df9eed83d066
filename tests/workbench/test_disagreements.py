import numpy as np
import pytest
from projects_made import make, make_project, make_single

from satc.evaluation.agreement import cohen_kappa, krippendorff_alpha_binary, pooled_kappa
from satc.workbench.model.audit import disagreements
from satc.workbench.model.disagreements import disagreement_on, open_disagreements
from satc.workbench.model.events import DECIDE, SECOND, Event
from satc.workbench.model.record import Record
from satc.workbench.review.accuracy.live import LiveAccuracy
from satc.workbench.review.desk import open_desk
from satc.workbench.review.disagreements.agreement import alpha_of_two, project_agreement
from satc.workbench.review.disagreements.drift import drift
from satc.workbench.review.disagreements.settling import disagreements_for, settle
from satc.workbench.review.disagreements.worth import error_rates, worth
from satc.workbench.review.leases import ConflictError
from satc.workbench.store import open_store


@pytest.fixture
def opened(location):
    """Make a project of which two people read everything, and open its desk."""
    stores = []

    def opening(made=None, **settings):
        if made is not None:
            make_project(made, location, **({"overlap": 1.0} | settings))
        store = open_store(location)
        stores.append(store)
        return open_desk(store)

    yield opening
    for store in stores:
        store.close()


def read_twice(desk, first, second):
    """Let ann decide on a document and ben read it again; return the document."""
    lease, _ = desk.next("ann")
    desk.submit(lease.lease, "ann", first, 1.0)
    again, _ = desk.next("ben")
    assert again.document == lease.document
    desk.submit(again.lease, "ben", second, 1.0)
    return lease.document


def queue_of(desk, who, is_manager=False):
    queue = disagreements_for(desk, who, is_manager=is_manager)
    return [one.disagreement.document for one in queue.found]


def settle_as(desk, document, who, labels, is_manager=False):
    answers = disagreement_on(desk.record, document).numbers
    return settle(desk, document, who, labels, answers, is_manager=is_manager)


def test_a_third_person_settles_and_the_labels_are_in_force(opened):
    desk = opened(make(n=20))
    document = read_twice(desk, [0, 1], [1, 2])
    assert queue_of(desk, "eve") == [document]
    settle_as(desk, document, "eve", [1])
    assert desk.record.current_decision(document).labels == (1,)
    assert queue_of(desk, "eve") == []
    assert opened().record.current_decision(document).labels == (1,)
    assert open_disagreements(opened().record) == []


def test_what_is_settled_feeds_the_engine_and_the_estimate(opened):
    desk = opened(make(n=40))
    document = read_twice(desk, [0, 1], [2, 3])
    live = LiveAccuracy(desk)
    live.prepare()
    before = live.latest()
    tables = desk.validation.gains
    settle_as(desk, document, "eve", [2, 3])
    assert np.flatnonzero(desk.validation.labels[document]).tolist() == [2, 3]
    assert not np.array_equal(tables.fn, desk.validation.gains.fn)
    live._at = -np.inf  # do not wait for a second
    assert live.latest().macro.value != before.macro.value


def test_the_two_people_cannot_settle_but_a_manager_can(opened):
    desk = opened(make(n=20))
    document = read_twice(desk, [0], [1])
    assert queue_of(desk, "ann") == queue_of(desk, "ben") == []
    with pytest.raises(ConflictError, match="A third person or a manager"):
        settle_as(desk, document, "ann", [0])
    found = disagreements_for(desk, "ann", is_manager=True).found
    assert [one.is_own for one in found] == [True]
    settle_as(desk, document, "ann", [0], is_manager=True)
    assert open_disagreements(desk.record) == []


def test_a_settlement_can_be_repeated_and_undone(opened):
    desk = opened(make(n=20))
    document = read_twice(desk, [0], [1])
    answers = disagreement_on(desk.record, document).numbers
    number = settle(desk, document, "eve", [1], answers, is_manager=False)
    assert settle(desk, document, "eve", [1], answers, is_manager=False) == number
    with pytest.raises(ConflictError, match="do not disagree any more"):
        settle(desk, document, "max", [0], answers, is_manager=True)
    desk.undo("eve")
    assert queue_of(desk, "eve") == [document]
    assert desk.record.current_decision(document).labels == (0,)


def test_settling_leaves_the_repeats_of_the_certificate_as_they_are(opened):
    desk = opened(make(n=20))
    document = read_twice(desk, [0, 1], [1, 2])
    before = disagreements(desk.record)
    settle_as(desk, document, "eve", [3])
    assert disagreements(desk.record) == before == [2]


def test_a_settlement_is_no_first_answer_even_if_the_decision_before_it_is_undone(opened):
    desk = opened(make(n=20))
    document = read_twice(desk, [0, 1], [1, 2])
    settle_as(desk, document, "eve", [3])
    desk.undo("ann")
    assert desk.record.current_decision(document).labels == (3,)
    assert disagreements(desk.record) == []


def test_a_second_reader_does_not_learn_of_the_disagreement(opened):
    desk = opened(make(n=20))
    document = read_twice(desk, [0], [1])
    desk._dispatcher.lease(document, "eve", "second")
    assert queue_of(desk, "eve") == []
    assert queue_of(desk, "eve", is_manager=True) == []
    with pytest.raises(ConflictError):
        settle_as(desk, document, "eve", [0])


def test_equal_answers_are_no_disagreement_and_a_revision_can_end_one(opened):
    desk = opened(make(n=20))
    read_twice(desk, [0], [0])
    document = read_twice(desk, [1], [2])
    assert [one.document for one in open_disagreements(desk.record)] == [document]
    desk.revise(document, "ann", [2], any_author=False)
    assert open_disagreements(desk.record) == []


def test_the_queue_is_ordered_by_worth(opened):
    desk = opened(make(n=30))
    for labels in ([0], [1], [2, 3], [0, 4, 5], [2]):
        read_twice(desk, [], labels)
    queue = disagreements_for(desk, "eve", is_manager=False)
    worths = [one.worth for one in queue.found]
    assert len(worths) == queue.n_open == 5
    assert worths == sorted(worths, reverse=True)
    assert min(worths) > 0


def test_the_worth_is_the_utility_of_the_disputed_labels_while_nothing_is_settled(opened):
    desk = opened(make(n=20))
    lease, _ = desk.next("ann")
    predicted = list(desk.state.predicted(lease.document))
    desk.submit(lease.lease, "ann", predicted, 1.0)
    again, _ = desk.next("ben")
    opposite = [j for j in range(6) if j not in predicted]
    desk.submit(again.lease, "ben", opposite, 1.0)
    found = disagreement_on(desk.record, lease.document)
    expected = desk.validation.utility(lease.document)
    assert worth(desk.validation, found, error_rates([])) == pytest.approx(expected, rel=1e-3)


def test_a_person_who_was_wrong_before_makes_the_other_answer_likelier(opened):
    desk = opened(make(n=30))
    found = []
    for _ in range(4):
        document = read_twice(desk, [0], [1])
        found.append(disagreement_on(desk.record, document))
    last, fresh = found[-1], error_rates([])
    before = worth(desk.validation, last, fresh)
    wrong_before = worth(desk.validation, last, lambda who: 0.9 if who == "ann" else 0.1)
    right_before = worth(desk.validation, last, lambda who: 0.1 if who == "ann" else 0.9)
    assert right_before < before < wrong_before


def test_disagreements_of_a_single_label_project(opened):
    desk = opened(make_single(n=20), task="single-label")
    document = read_twice(desk, [0], [1])
    with pytest.raises(ValueError, match="exactly one"):
        settle_as(desk, document, "eve", [0, 1])
    settle_as(desk, document, "eve", [2])
    found = project_agreement(desk.record, 4, is_single=True)
    assert {line.who: (line.settled, line.right) for line in found.people} == {
        "ann": (2, 1),
        "ben": (2, 1),
    }


def record_of(first, second):
    """Return the record of two people who decided on the same documents."""
    record = Record()
    number = 0
    for document, answers in enumerate(zip(first, second, strict=True)):
        for who, kind, labels in zip(("ann", "ben"), (DECIDE, SECOND), answers, strict=True):
            number += 1
            given = tuple(np.flatnonzero(labels).tolist())
            record.apply(Event(number, "2026-01-01T00:00:00Z", who, kind, document, given))
    return record


def test_the_agreement_is_that_of_the_matrices():
    rng = np.random.default_rng(3)
    first = rng.random((50, 5)) < 0.3
    second = first ^ (rng.random((50, 5)) < 0.1)
    found = project_agreement(record_of(first, second), 5, is_single=False)
    counts = first.astype(int) + second
    alphas = krippendorff_alpha_binary(counts, [2] * 50)
    assert {line.label: line.alpha for line in found.classes} == pytest.approx(
        dict(enumerate(alphas.tolist()))
    )
    ann, ben = found.people
    assert ann.kappa == pytest.approx(pooled_kappa(first, second))
    assert ben.kappa == pytest.approx(ann.kappa)
    assert ann.documents == found.documents == 50
    assert ann.same == found.same == int((first == second).all(axis=1).sum())


def test_the_agreement_on_a_class_that_everybody_gives_is_not_known():
    assert np.isnan(alpha_of_two(5, 0, 5))
    assert np.isnan(cohen_kappa([[1]] * 5, [[1]] * 5)[0])


def test_a_change_of_agreement_is_told_from_chance():
    steady = drift([True, True, False] * 20)
    assert (steady.verdict, steady.before, steady.recent) == ("same", 30, 30)
    fallen = drift([True] * 50 + [False] * 15 + [True] * 15)
    assert (fallen.verdict, fallen.recent_same, fallen.before_same) == ("less", 15, 50)
    assert drift([False] * 30 + [True] * 30).verdict == "more"
    assert drift([True] * 19).verdict == "too-few"
    assert drift([]).shares == ()
    assert drift([True] * 25).shares == (1.0, 1.0)
