import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import satc
from made import make

METHODS = ("u-theoretic", "u-theoretic-dynamic", "baseline", "contextual")
QUICK = METHODS[:3]
MADE = make(n=40, n_train=150)


def ranked(scores, oof_scores, method, **options):
    return satc.rank(scores, oof_scores=oof_scores, y_train=MADE.y_train, method=method, **options)


PLAIN = {method: ranked(MADE.scores, MADE.oof_scores, method) for method in METHODS}


@given(exponent=st.integers(-960, 1018), method=st.sampled_from(QUICK))
@example(exponent=1018, method="contextual")
@example(exponent=-960, method="contextual")
@settings(max_examples=30, deadline=None)
def test_a_power_of_two_does_not_change_a_ranking(exponent, method):
    scores, oof = np.ldexp(MADE.scores, exponent), np.ldexp(MADE.oof_scores, exponent)
    found = ranked(scores, oof, method)
    np.testing.assert_array_equal(found.order, PLAIN[method].order)
    np.testing.assert_allclose(found.utility, PLAIN[method].utility, rtol=1e-9)
    np.testing.assert_allclose(found.probability, PLAIN[method].probability, atol=1e-9)


@given(exponent=st.integers(-960, 1018), task=st.sampled_from(["multi-label", "single-label"]))
@settings(max_examples=10, deadline=None)
def test_a_power_of_two_does_not_change_a_cold_start(exponent, task):
    plain = satc.rank(MADE.scores, task=task)
    found = satc.rank(np.ldexp(MADE.scores, exponent), task=task)
    np.testing.assert_array_equal(found.order, plain.order)


EXTREME = st.sampled_from([0.0, 5e-324, 1e-310, 1e-200, 1e-9, 1.0, 3.0, 1e9, 1e200, 1.7e308])


@given(
    numbers=st.lists(EXTREME, min_size=12, max_size=12),
    negative=st.lists(st.booleans(), min_size=12, max_size=12),
    where=st.sampled_from(["scores", "oof_scores", "both"]),
    method=st.sampled_from(QUICK),
    average=st.sampled_from(["macro", "micro"]),
)
@example([1.7e308] * 12, [True, False] * 6, "both", "contextual", "macro")
@example([5e-324, 1e200] * 6, [True, False] * 6, "oof_scores", "contextual", "macro")
@example([1e-310, 1.7e308] * 6, [True, False] * 6, "scores", "contextual", "micro")
@settings(max_examples=60, deadline=None)
@pytest.mark.filterwarnings("ignore::satc.errors.CalibrationWarning")
def test_any_finite_scores_give_finite_utilities_and_a_complete_order(
    numbers, negative, where, method, average
):
    extreme = np.where(negative, -1.0, 1.0) * np.array(numbers)
    scores, oof = MADE.scores.copy(), MADE.oof_scores.copy()
    if where != "oof_scores":
        scores.ravel()[: len(extreme)] = extreme
    if where != "scores":
        oof.ravel()[: len(extreme)] = extreme
    found = ranked(scores, oof, method, average=average)
    assert np.isfinite(found.utility).all()
    assert ((found.probability >= 0.0) & (found.probability <= 1.0)).all()
    assert sorted(found.order) == list(range(len(scores)))
    assert (found.documents.decided == (scores >= 0)).all()


@pytest.mark.parametrize("method", METHODS)
def test_scores_that_are_all_at_the_limits_of_a_float_are_ranked(method):
    for largest in (1.7e308, 5e-324):
        scores, oof = (np.sign(one) * largest for one in (MADE.scores, MADE.oof_scores))
        unit = ranked(np.sign(MADE.scores), np.sign(MADE.oof_scores), method)
        found = ranked(scores, oof, method)
        np.testing.assert_allclose(found.utility, unit.utility, rtol=1e-6)


def test_float32_scores_near_their_largest_are_ranked():
    scale = np.float32(2.0**120)
    scores, oof = (one.astype(np.float32) for one in (MADE.scores, MADE.oof_scores))
    plain, found = (
        ranked(scores, oof, "contextual"),
        ranked(scores * scale, oof * scale, "contextual"),
    )
    np.testing.assert_allclose(found.utility, plain.utility, rtol=1e-4)


def test_sigma_that_is_given_counts_in_the_unit_of_the_scores():
    found = ranked(np.full((3, 5), 1e308), MADE.oof_scores, "u-theoretic", sigma=1e-308)
    np.testing.assert_allclose(found.probability, 1 / (1 + np.exp(-1.0)))


def test_weights_that_overflow_are_refused():
    with pytest.raises(ValueError, match="have no order"):
        ranked(
            MADE.scores,
            MADE.oof_scores,
            "baseline",
            class_weights=np.full(5, 1e308),
            costs=np.full(40, 1e-300),
        )
