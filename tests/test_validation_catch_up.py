"""A validation catches up with another one of the same documents that has other estimates."""

import numpy as np
import pytest

from made import make
from satc.assurance.live.estimator import accuracy_model
from satc.ranking.preparation import prepare
from satc.validation import Validation

MADE = make(60, 5, seed=3)


def validation(**options):
    return Validation.of(prepare(MADE.scores, **MADE.training, **options))


def work(one, rng, steps):
    """Submit, undo, take and give back at random."""
    for _ in range(steps):
        match int(rng.integers(6)):
            case 0 if one.n_validated:
                one.undo(int(rng.choice(one.order)))
            case 1:
                one.take()
            case 2 if taken := [i for i in range(one.n_documents) if one.is_taken(i)]:
                one.give_back(taken[0])
            case _ if (i := one.next()) is not None:
                labels = MADE.y_true[i] if rng.random() < 0.9 else ~MADE.y_true[i]
                one.submit(i, labels)


def available(one):
    """Return the documents that nobody has, in the order in which people get them."""
    found = []
    while (i := one.take()) is not None:
        found.append(i)
    for i in found:
        one.give_back(i)
    return found


def state(one):
    return (
        one.order.tolist(),
        one.labels.tolist(),
        [one.is_taken(i) for i in range(one.n_documents)],
        available(one),
        [one.utility(i) for i in range(one.n_documents)],
    )


@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "u-theoretic"])
@pytest.mark.parametrize("seed", range(5))
def test_catching_up_in_steps_is_the_same_as_starting_over(method, seed):
    rng = np.random.default_rng(seed)
    other, late = validation(method=method), validation(method=method, sigma=3.0)
    for _ in range(4):
        work(other, rng, 12)
        late.catch_up(other)
        fresh = validation(method=method, sigma=3.0)
        fresh.resume(other)
        assert state(late) == state(fresh)
    assert late.catch_up(other) == 0


def test_catching_up_says_how_many_decisions_it_changed():
    other, late = validation(method="u-theoretic"), validation(method="u-theoretic")
    for i in range(5):
        other.submit(i, MADE.y_true[i])
    assert late.catch_up(other) == 5
    other.undo(4)
    other.undo(0)
    other.submit(7, MADE.y_true[7])
    assert late.catch_up(other) == 2 + 1  # two are gone, one is new


@pytest.mark.slow
def test_a_model_that_knows_some_decisions_is_brought_up_to_date():
    one = validation(method="u-theoretic")
    for i in range(12):
        one.submit(i, MADE.y_true[i])
    known = one.decisions
    model, fresh = accuracy_model(one.documents), accuracy_model(one.documents)
    for document, labels in known:
        model.validate(document, labels)
    one.undo(3)
    one.undo(5)
    one.submit(5, ~MADE.y_true[5])
    one.submit(20, MADE.y_true[20])
    one.attach(model, known)
    found = one.accuracy()
    one.attach(fresh)
    expected = one.accuracy()
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    one.submit(21, MADE.y_true[21])
    assert one.accuracy().value != expected.value
