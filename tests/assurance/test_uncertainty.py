import numpy as np

from satc.assurance.live.shifts import N_REGIONS, SHIFTS
from satc.assurance.live.uncertainty import cross_fit, shift_prior, variance_ratio
from satc.decisions import by_sign
from satc.training import Training


def made(n=1200, m=12, seed=0):
    rng = np.random.default_rng(seed)
    logits = rng.normal(-2.0, 1.5, (n, m))
    return logits, rng.random((n, m)) < 1 / (1 + np.exp(-logits))


def shifted_by(amount):
    """A calibrator whose log-odds of an error are wrong by `amount`; scores are the true logits."""

    def calibrate(scores, features, oof, labels, train_features):
        wrong = 1 / (1 + np.exp(np.abs(scores) + amount))
        return np.where(scores >= 0, 1 - wrong, wrong)

    return calibrate


def fitted(calibrate, scores, labels):
    """The uncertainty of a calibrator, where the signs of the scores decide."""
    training = Training(scores, labels)
    return cross_fit(calibrate, lambda scores, p: by_sign(scores), training, None, 0)


def mean_shift(uncertainty):
    weights = uncertainty.information
    return float((uncertainty.common * weights).sum() / (weights.sum() * len(uncertainty.common)))


def test_a_calibrator_that_is_right_needs_no_shift():
    uncertainty = fitted(shifted_by(0.0), *made())
    assert abs(mean_shift(uncertainty)) < 0.15


def test_a_calibrator_that_is_wrong_is_put_right():
    for amount in (-1.0, 1.0):
        uncertainty = fitted(shifted_by(amount), *made())
        assert abs(mean_shift(uncertainty) - amount) < 0.25


def test_classes_that_stray_are_noticed():
    scores, labels = made(m=30)
    astray = np.where(np.arange(30) % 2, 1.2, -1.2)
    steady = fitted(shifted_by(0.0), scores, labels)
    straying = fitted(shifted_by(astray), scores, labels)
    informed = int(steady.information.argmax())
    assert steady.spread[:, informed].max() < 0.4
    assert 0.8 < straying.spread[:, informed].min() < 2.0


def test_errors_that_go_together_vary_more():
    scores, labels = made()
    twice = np.repeat(scores, 2, axis=1), np.repeat(labels, 2, axis=1)
    alone = fitted(shifted_by(0.0), scores, labels)
    together = fitted(shifted_by(0.0), *twice)
    seen = alone.information > 20
    assert 0.85 < np.diagonal(alone.error_covariance)[seen].mean() < 1.15
    assert 1.7 < np.diagonal(together.error_covariance)[seen].mean() < 2.3


def test_doubt_changes_no_error_rate_on_average():
    deviation, share = np.array([0.8]), np.array([1.0])
    prior = shift_prior(np.array([0.5]), deviation, share)[0]
    assert np.isclose(prior.sum(), 1.0)
    assert np.isclose(prior @ np.exp(SHIFTS), np.exp(0.5), rtol=0.02)


def test_the_common_draws_change_no_error_rate_on_average():
    uncertainty = fitted(shifted_by(0.0), *made())
    rare = np.full(N_REGIONS, 40.0)
    drawn = uncertainty.draw_common(rare, rare, 20_000, np.random.default_rng(0))
    known = uncertainty.group_deviation.max(axis=0) < 0.7
    np.testing.assert_allclose(np.exp(drawn).mean(axis=0)[:, known], 1.0, atol=0.06)


def test_the_share_of_rare_errors_is_one():
    assert variance_ratio(np.array([0.0, 2.0]), np.array([0.0, 1.5])).tolist() == [1.0, 0.75]
