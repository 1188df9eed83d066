"""Whatever people undo and revise, the engine is that of a fresh one with the decisions left."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made import make
from plain_live import plain_gains
from satc.assurance.live.accuracy import AccuracyModel
from satc.assurance.live.uncertainty import learnt
from satc.contingency import ContingencyTables
from satc.errors import StateError
from satc.gains import average_gains, pointwise_gains
from satc.measures import F1, FBeta, parse
from satc.ranking.live import reestimated_tables
from satc.ranking.live.reestimated_tables import average_gains_of_turns
from satc.ranking.live.updated_tables import UpdatedTables
from satc.ranking.preparation import prepare
from satc.smoothing import smooth
from satc.validation import Validation

N = 350  # more than one block of the dynamic ranking


def share_of_right_labels(tp, fp, fn, tn):
    """A measure of the user's own."""
    return (tp + tn + 1) / (tp + fp + fn + tn + 1)


@pytest.fixture(autouse=True, scope="module")
def _often_a_checkpoint():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reestimated_tables, "CHECKPOINT", 3)
        yield


@cache
def documents(method="contextual-dynamic", average="macro", measure="f1", task="multi-label"):
    made = make(N, 4, seed=1, prevalence=0.1)
    training = made.training
    if task == "single-label":
        training = {**training, "y_train": np.eye(4, dtype=bool)[made.oof_scores.argmax(axis=1)]}
    return prepare(
        made.scores,
        **training,
        y_true=made.y_true if method.startswith("oracle") else None,
        method=method,
        average=average,
        measure=measure,
        task=task,
    )


def labels_of(v, i, pattern):
    """Return labels for a document: the predicted ones, changed by the bits of a number."""
    m = v.model.n_classes
    if v.model.task == "single-label":
        return np.eye(m, dtype=bool)[pattern % m]
    return v.documents.decided[i] ^ np.array([bool(pattern >> j & 1) for j in range(m)])


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["submit"] * 3 + ["undo", "revise", "take", "give back", "next"]),
        st.integers(0, 10_000),
        st.integers(0, 15),
    ),
    max_size=30,
)


def act(v, steps):
    """Do these steps, as far as they are possible."""
    for step, number, pattern in steps:
        open_ones = [i for i in range(40) if v.is_taken(i) or not v.is_validated[i]]
        taken = [i for i in open_ones if v.is_taken(i)]
        order = v.order.tolist()
        if step == "submit":
            i = open_ones[number % len(open_ones)]
            v.submit(i, labels_of(v, i, pattern))
        elif step in ("undo", "revise") and order:
            i = v.undo(order[number % len(order)])
            if step == "revise":
                v.submit(i, labels_of(v, i, pattern))
        elif step == "take":
            v.take()
        elif step == "give back" and taken:
            v.give_back(taken[number % len(taken)])
        elif step == "next":
            v.next()


def available(v):
    """Return the documents that nobody has, in the order in which people get them."""
    found = []
    while (i := v.take()) is not None:
        found.append(i)
    for i in found:
        v.give_back(i)
    return found


def seen(v):
    """Return everything that a caller can see, exactly."""
    return {
        "order": v.order.tolist(),
        "labels": v.labels.tolist(),
        "taken": [v.is_taken(i) for i in range(v.n_documents)],
        "gains": np.array(v.gains).tolist(),
        "utilities": [v.utility(i) for i in range(0, v.n_documents, 50)],
        "next": v.next(),
        "in order": available(v),
    }


def one_after_another(v, of=Validation.of):
    """Return a fresh engine, to which the decisions in force are submitted one after another."""
    fresh = of(v.documents)
    for i, labels in v.decisions:
        fresh.submit(i, labels)
    for i in np.flatnonzero([v.is_taken(i) for i in range(v.n_documents)]).tolist():
        fresh.take(i)
    return fresh


CASES = [
    ("u-theoretic", "macro", "f1", "multi-label"),
    ("u-theoretic-dynamic", "macro", "f1", "multi-label"),
    ("u-theoretic-dynamic", "micro", "matthews", "multi-label"),
    ("oracle1-dynamic", "macro", "f2", "multi-label"),
    ("contextual-dynamic", "macro", "f1", "multi-label"),
    ("contextual-dynamic", "micro", "f0.5", "multi-label"),
    ("contextual-dynamic", "macro", "kappa", "multi-label"),
    ("contextual-dynamic", "micro", share_of_right_labels, "multi-label"),
    ("contextual-dynamic", "macro", "f1", "single-label"),
    ("u-theoretic-dynamic", "micro", "f1", "single-label"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case[:2])))
@settings(max_examples=20, deadline=None)
@given(steps=STEPS)
def test_the_state_is_that_of_the_decisions_in_force(case, steps):
    v = Validation.of(documents(*case))
    act(v, steps)
    found = seen(v)
    assert found == seen(one_after_another(v))
    assert np.array_equal(found["gains"], plain_gains(v.documents, v.decisions))


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("oldest", range(5))
def test_a_recent_decision_can_be_undone_after_an_old_one(average, oldest):
    v = Validation.of(documents("contextual-dynamic", average))
    for i in range(14):
        v.submit(i, labels_of(v, i, 1 + i % 15))
    v.undo(oldest)
    for recent in (13, 11, 10):
        v.undo(recent)
        assert seen(v) == seen(one_after_another(v))


@pytest.mark.parametrize("method", ["u-theoretic", "u-theoretic-dynamic", "contextual-dynamic"])
def test_the_next_document_is_known_after_right_decisions_that_come_at_once(method):
    v = Validation.of(documents(method))
    best = available(v)[:5]
    v.next()
    v.submit_all(best, v.documents.decided[best])
    fresh = one_after_another(v)
    assert v.next() == fresh.next() is not None


@pytest.mark.parametrize("case", CASES[1:6:2], ids=lambda case: "-".join(map(str, case[:2])))
@settings(max_examples=10, deadline=None)
@given(steps=STEPS, more=STEPS)
def test_decisions_that_come_at_once_are_the_same_as_one_after_another(case, steps, more):
    v, late = (Validation.of(documents(*case)) for _ in range(2))
    act(v, steps)
    late.catch_up(v)
    act(v, more)
    late.catch_up(v)
    resumed = Validation.of(v.documents)
    resumed.resume(v)
    at_once = Validation.of(v.documents)
    at_once.next()
    order = v.order.tolist()
    at_once.submit_all(order, v.labels[order] if order else [])
    for i in np.flatnonzero([v.is_taken(i) for i in range(N)]).tolist():
        at_once.take(i)
    assert seen(v) == seen(late) == seen(resumed) == seen(at_once)


@settings(max_examples=4, deadline=None)
@given(steps=STEPS, method=st.sampled_from(["contextual", "contextual-dynamic"]))
def test_a_cold_start_learns_from_the_decisions_in_force(steps, method):
    first = cold(method)
    v = Validation.learning(first)
    act(v, [("submit", k, k % 16) for k in range(12)] + steps)
    fresh = Validation.learning(first)
    for i, labels in v.decisions:
        fresh.submit(i, labels)
    at_once = Validation.learning(first)
    at_once.submit_all(v.order.tolist(), v.labels[v.order])
    for i in np.flatnonzero([v.is_taken(i) for i in range(N)]).tolist():
        fresh.take(i)
        at_once.take(i)
    assert v.standing == fresh.standing == at_once.standing
    assert seen(v) == seen(fresh) == seen(at_once)


@cache
def cold(method):
    return prepare(make(N, 4, seed=1).scores, method=method)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.floats(0.0, 3.0), min_size=4, max_size=4),
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=25),
    st.booleans(),
)
def test_tables_with_cells_below_one_are_smoothed_as_in_a_replay(cells, corrections, smoothed):
    first = ContingencyTables(*np.array(cells)[:, np.newaxis])
    live = UpdatedTables(first, parse("accuracy"), smoothed=smoothed, micro=False)
    left = {}
    for document, positive in corrections:
        if document in left:
            del left[document]
            live.replace([document], [])
        else:
            left[document] = positive
            live.replace((), [(document, [(0, positive)])])
    expected = first
    for positive in left.values():
        change = (0, -1, 0, 1) if positive else (1, 0, -1, 0)
        expected = ContingencyTables(*(c + k for c, k in zip(expected, change, strict=True)))
        expected = smooth(expected) if smoothed else expected
    assert live.cells == [tuple(float(cell[0]) for cell in expected)]


def test_undoing_a_correction_that_smoothed_a_table_undoes_the_smoothing():
    first = ContingencyTables(*np.array([[5.0], [1.0], [1.0], [90.0]]))
    live = UpdatedTables(first, F1, smoothed=True, micro=False)
    live.replace((), [(7, [(0, True)]), (8, [(0, True)]), (9, [(0, False)])])
    ((_, fp, fn),) = live.replace([7], [])
    once = smooth(ContingencyTables(*np.array([[5.0], [0.0], [1.0], [91.0]])))
    twice = smooth(ContingencyTables(once.tp + 1, once.fp, once.fn - 1, once.tn))
    assert live.cells == [tuple(float(cell[0]) for cell in twice)]
    assert (fp, fn) == tuple(float(gain[0]) for gain in pointwise_gains(F1, twice))


@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_the_compiled_gains_of_f_beta_are_the_plain_ones(beta):
    tables = np.random.default_rng(0).uniform(0, 9, (50, 4, 7)).round()
    found = average_gains_of_turns(FBeta(beta), tables)
    plain = average_gains(FBeta(beta), ContingencyTables(*tables.transpose(1, 0, 2)))
    assert np.array_equal(found, np.stack(plain, axis=1))


@cache
def accuracy_model():
    """Return a model of accuracy that has been given no decision yet."""
    signed = documents().misclassification.signed
    wrong = np.random.default_rng(0).random(signed.shape) < np.abs(signed)
    positives = wrong.sum(axis=0)
    half = np.arange(len(signed)) % 2 == 0
    uncertainty = learnt(signed, wrong, [half, ~half], np.array([positives] * 2), positives)
    return AccuracyModel(signed, documents().decided, uncertainty)


@settings(max_examples=8, deadline=None)
@given(steps=STEPS, more=STEPS)
def test_the_estimate_of_accuracy_is_that_of_the_decisions_in_force(steps, more):
    v = Validation.of(documents())
    act(v, steps)
    known, model = v.decisions, accuracy_model().snapshot()
    model.validate_all(known)
    act(v, more[:5])
    v.attach(model, known)
    act(v, more[5:])
    fresh = accuracy_model().snapshot()
    for i, labels in v.decisions:
        fresh.validate(i, labels)
    for found, expected in zip(model.known, fresh.known, strict=True):
        np.testing.assert_array_equal(found, expected)
    for name in ("expected", "variance", "likelihood"):
        np.testing.assert_array_equal(getattr(model.sums, name), getattr(fresh.sums, name))


@pytest.mark.filterwarnings("ignore::satc.errors.DriftWarning")
def test_the_interval_is_that_of_the_decisions_in_force():
    v = Validation.of(documents())
    v.attach(accuracy_model().snapshot())
    act(v, [("submit", 3 * k, k) for k in range(15)] + [("undo", 1, 0), ("revise", 2, 5)])
    fresh = one_after_another(v)
    fresh.attach(accuracy_model().snapshot())
    np.testing.assert_array_equal(v.accuracy().draws, fresh.accuracy().draws)


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (
            lambda v: v.submit_all([1, 0], [[0] * 4] * 2),
            StateError,
            "document 0 is val",
        ),
        (lambda v: v.submit_all([1, 1], [[0] * 4] * 2), ValueError, "every document once"),
        (lambda v: v.submit_all([1, 2], [[0] * 4]), ValueError, r"\(2, 4\), but has the shape"),
        (lambda v: v.submit_all([1, 400], [[0] * 4] * 2), ValueError, "i must be a document"),
    ],
)
def test_decisions_that_do_not_fit_are_refused_together(act, error, message):
    v = Validation.of(documents())
    v.submit(0, [1, 0, 0, 0])
    before = seen(v)
    with pytest.raises(error, match=message):
        act(v)
    assert seen(v) == before


def test_a_measure_that_refuses_a_table_leaves_the_engine_as_it_was():
    made = make(40, 3, seed=2)

    def fragile(tp, fp, fn, tn):
        return float("nan") if broken else F1(tp, fp, fn, tn)

    broken = False
    options = {"method": "u-theoretic-dynamic", "measure": fragile}
    v = Validation.of(prepare(made.scores, **made.training, **options))
    for i in range(6):
        v.submit(i, ~v.documents.decided[i])
    order, gains = v.order.tolist(), np.array(v.gains).tolist()
    broken = True
    with pytest.raises(ValueError, match="measure must be finite"):
        v.undo(2)
    broken = False
    assert (v.order.tolist(), np.array(v.gains).tolist()) == (order, gains)
    v.undo(2)
    assert seen(v) == seen(one_after_another(v))
