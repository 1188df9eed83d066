import numpy as np
import pytest

from satc.calibration.logistic import (
    error_probabilities,
    expected_positives,
    membership_probabilities,
)
from satc.calibration.sigma import calibrate_sigma, macro_gap, micro_gap
from satc.errors import CalibrationWarning


def drawn(sigma, n=4000, m=6, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(-0.5, 1, (n, m)) * 2 / sigma
    return scores, rng.random((n, m)) < 1 / (1 + np.exp(-sigma * scores))


def test_example_of_the_paper_the_two_objectives_disagree():
    positives = np.array([20.0, 10.0])
    a, b = np.array([18.0, 8.0]), np.array([17.0, 13.0])
    assert (macro_gap(positives, a), macro_gap(positives, b)) == (2, 3)
    assert (micro_gap(positives, a), micro_gap(positives, b)) == (4, 0)


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("sigma", [0.5, 2.0, 7.0])
def test_the_sigma_that_made_the_labels_is_found(average, sigma):
    assert calibrate_sigma(*drawn(sigma), average) == pytest.approx(sigma, rel=0.1)


def test_no_value_of_a_fine_grid_is_better():
    scores, labels = drawn(3.0, n=300)
    positives = labels.sum(axis=0).astype(float)
    found = calibrate_sigma(scores, labels)
    best = min(
        macro_gap(positives, expected_positives(scores, sigma))
        for sigma in np.logspace(-2, 2, 2000)
    )
    assert macro_gap(positives, expected_positives(scores, found)) <= best * (1 + 1e-3)


def test_scaling_the_scores_divides_sigma():
    scores, labels = drawn(2.0, n=500)
    assert calibrate_sigma(scores * 1000, labels) == pytest.approx(
        calibrate_sigma(scores, labels) / 1000, rel=1e-6
    )


def test_separated_classes_are_warned_about():
    scores = np.array([[1.0], [2.0], [-1.0], [-3.0]])
    with pytest.warns(CalibrationWarning, match="no best value inside its grid"):
        assert calibrate_sigma(scores, scores > 0) > 10


def test_scores_that_are_all_zero_are_warned_about():
    with pytest.warns(CalibrationWarning, match="all scores are 0"):
        assert calibrate_sigma(np.zeros((3, 2)), np.eye(3, 2, dtype=bool)) == 1


def test_an_unknown_average_is_refused():
    with pytest.raises(ValueError, match="average must be one of 'macro', 'micro'"):
        calibrate_sigma(*drawn(1.0, n=10), "both")


@pytest.mark.parametrize("score", [0.0, 5e-324, 1e-300, 1.0, 36.0, 1e5, 1.7e308])
@pytest.mark.parametrize("sigma", [1e-300, 1.0, 1e300])
def test_no_finite_score_overflows_or_warns(score, sigma):
    scores = np.array([[score, -score]])
    probability = membership_probabilities(scores, sigma)
    wrong = error_probabilities(scores, sigma)
    assert np.all((probability >= 0) & (probability <= 1))
    assert np.all((wrong >= 0) & (wrong <= 0.5))


def test_a_score_of_zero_is_a_positive_decision_that_is_wrong_half_of_the_time():
    assert membership_probabilities(np.zeros((1, 1)), 3.0)[0, 0] == 0.5


def test_probabilities_are_the_logistic_function():
    scores = np.linspace(-3, 3, 13)[None, :]
    np.testing.assert_allclose(
        membership_probabilities(scores, 2.0), 1 / (1 + np.exp(-2 * scores)), rtol=1e-14
    )
    np.testing.assert_allclose(
        expected_positives(scores.T, 2.0), membership_probabilities(scores, 2.0).sum()
    )
