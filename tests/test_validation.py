import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import satc
from made import make
from satc.errors import StateError
from satc.ranking.methods import METHODS


def opened(made, **options):
    return satc.Validation(made.scores, **made.training, y_true=made.y_true, **options)


@pytest.mark.slow
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("method", METHODS)
def test_the_same_corrections_give_the_order_of_simulate(method, average, tied):
    made = make(n=300, seed=2, tied=tied)
    sim = satc.simulate(
        made.scores, made.y_true, **made.training, method=method, average=average, n_trials=1
    )
    v = opened(made, method=method, average=average)
    order = []
    while (i := v.next()) is not None:
        order.append(i)
        v.submit(i, made.y_true[i])
    assert order == sim.order.tolist() == v.order.tolist()
    np.testing.assert_array_equal(v.labels, made.y_true)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["submit", "take", "give back", "undo", "undo earlier"]), max_size=60),
    st.sampled_from(["u-theoretic", "u-theoretic-dynamic", "contextual-dynamic"]),
    st.sampled_from(["macro", "micro"]),
    st.integers(0, 5),
)
def test_whatever_happened_the_state_is_that_of_the_decisions_left(steps, method, average, seed):
    made = make(n=40, seed=seed)
    v = opened(made, method=method, average=average)
    taken = []
    for step in steps:
        if step == "submit" and (i := v.next()) is not None:
            v.submit(i, made.y_true[i])
        elif step == "take" and (i := v.take()) is not None:
            assert i not in taken
            taken.append(i)
        elif step == "give back" and taken:
            v.give_back(taken.pop())
        elif step == "undo" and v.n_validated:
            v.undo()
        elif step == "undo earlier" and v.n_validated:
            v.undo(int(v.order[v.n_validated // 2]))
    replay = opened(made, method=method, average=average)
    for i in v.order:
        replay.submit(i, made.y_true[i])
    for i in taken:
        v.give_back(i)
    remaining, expected = [], []
    while (i := v.next()) is not None:
        remaining.append(i)
        v.submit(i, made.y_true[i])
    while (i := replay.next()) is not None:
        expected.append(i)
        replay.submit(i, made.y_true[i])
    assert remaining == expected


def test_two_people_never_hold_the_same_document():
    v = opened(make(), method="u-theoretic-dynamic")
    held = [v.take() for _ in range(v.n_documents)]
    assert sorted(held) == list(range(v.n_documents))
    assert v.take() is None
    assert v.next() is None
    v.give_back(held[3])
    assert v.take() == held[3]


def test_a_correction_feeds_the_ranking_that_the_other_person_sees():
    made = make(n=200, seed=4)
    v, alone = (opened(made, method="u-theoretic-dynamic") for _ in range(2))
    mine, yours = v.take(), v.take()
    v.submit(yours, ~made.y_true[yours])
    v.submit(mine, ~made.y_true[mine])
    alone.submit(yours, ~made.y_true[yours])
    alone.submit(mine, ~made.y_true[mine])
    assert v.next() == alone.next()


def test_next_does_not_move_until_something_happens():
    v = opened(make())
    assert v.next() == v.next()
    first = v.take()
    assert v.next() != first


def test_undo_gives_the_document_back_to_the_front():
    made = make(seed=5)
    v = opened(made, method="u-theoretic-dynamic")
    first = v.next()
    v.submit(first, ~made.y_true[first])
    assert v.n_validated == 1
    assert v.undo() == first
    assert v.next() == first
    np.testing.assert_array_equal(v.labels, made.scores >= 0)


def test_labels_are_people_s_where_they_decided_and_predicted_elsewhere():
    made = make()
    v = opened(made)
    v.submit(7, ~made.y_true[7])
    np.testing.assert_array_equal(v.labels[7], ~made.y_true[7])
    np.testing.assert_array_equal(np.delete(v.labels, 7, 0), np.delete(made.scores >= 0, 7, 0))


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda v: v.undo(), StateError, "nothing to undo"),
        (lambda v: v.undo(3), StateError, "nothing to undo"),
        (lambda v: v.give_back(3), StateError, "document 3 is not taken"),
        (
            lambda v: v.submit(60, np.zeros(5)),
            ValueError,
            "i must be a document, 0 to 59, but is 60",
        ),
        (lambda v: v.submit(-1, np.zeros(5)), ValueError, "i must be a document"),
        (lambda v: v.submit("a", np.zeros(5)), TypeError, "i must be a document index, but is 'a'"),
        (lambda v: v.submit(0, np.zeros(4)), ValueError, "one entry per class, 5, but has 4"),
        (lambda v: v.submit(0, [0, 1, 2, 0, 0]), ValueError, "labels must hold 0 and 1 only"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(act, error, message):
    made = make()
    v = opened(made)
    before = v.next()
    with pytest.raises(error, match=message):
        act(v)
    assert v.next() == before
    assert v.n_validated == 0


def test_a_document_is_validated_once():
    v = opened(make())
    v.submit(0, np.zeros(5))
    with pytest.raises(StateError, match=r"document 0 is validated already: undo\(0\)"):
        v.submit(0, np.ones(5))
    with pytest.raises(StateError, match="document 1 is not validated"):
        v.undo(1)


def test_a_given_document_can_be_taken_once():
    made = make(n=60, seed=3)
    v = satc.Validation(made.scores, method="u-theoretic-dynamic", **made.training)
    i = (v.next() + 1) % v.n_documents
    assert v.take(i) == i
    assert i not in [v.take() for _ in range(v.n_documents - 1)]
    with pytest.raises(StateError, match="taken already"):
        v.take(i)
    v.submit(i, made.y_true[i])
    with pytest.raises(StateError, match="validated already"):
        v.take(i)


def test_gains_that_were_asked_for_stay_what_they_were():
    made = make(40, 4, seed=1)
    v = satc.Validation(made.scores, **made.training, method="u-theoretic-dynamic")
    before = v.gains
    copies = [side.copy() for side in before]
    for _ in range(10):
        i = v.next()
        v.submit(i, ~(made.scores[i] >= 0))
    assert all((side == copy).all() for side, copy in zip(before, copies, strict=True))
    assert any((now != copy).any() for now, copy in zip(v.gains, copies, strict=True))
