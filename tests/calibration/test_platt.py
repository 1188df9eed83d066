import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from made import make
from satc.calibration.platt import PlattCalibrator, class_scales, expit


def test_a_frequent_class_gets_nearly_the_line_of_logistic_regression():
    made = make(n_train=20_000, m=3)
    platt = PlattCalibrator().fit(made.oof_scores, made.y_train)
    for j in range(3):
        plain = LogisticRegression(C=np.inf).fit(made.oof_scores[:, [j]], made.y_train[:, j])
        assert platt.slope[j] == pytest.approx(plain.coef_[0, 0], rel=0.02)
        assert platt.intercept[j] == pytest.approx(plain.intercept_[0], rel=0.05, abs=0.05)


def test_a_class_without_positives_stays_near_the_pooled_line():
    made = make(n_train=2_000, m=8)
    made.y_train[:, 3] = False
    platt = PlattCalibrator().fit(made.oof_scores, made.y_train)
    assert np.isfinite(platt.slope).all()
    assert platt.slope[3] > 0
    assert expit(platt.logits(made.oof_scores))[:, 3].sum() < 0.05 * len(made.oof_scores)


def test_a_rare_class_is_shrunk_more_than_a_frequent_one():
    rng = np.random.default_rng(0)
    scores = rng.normal(-1, 1, (4_000, 12))
    labels = rng.random(scores.shape) < expit(3 * scores)
    labels[:, :2] = rng.random((4_000, 2)) < expit(9 * scores[:, :2])
    rare = np.flatnonzero(labels[:, 0])[3:]
    labels[rare, 0] = False
    scores[rare, 0] = -1.0
    slopes = PlattCalibrator().fit(scores, labels).slope
    common = np.median(slopes[2:])
    assert slopes[1] > 7
    assert abs(slopes[0] - common) < abs(slopes[1] - common)


def test_separable_classes_do_not_run_away():
    scores = np.linspace(-1, 1, 200)[:, np.newaxis] * np.array([1.0, 1e-3, 1e3])
    platt = PlattCalibrator().fit(scores, scores > 0.3 * np.abs(scores).max(axis=0))
    assert np.isfinite(platt.logits(scores)).all()
    assert (np.diff(platt.logits(scores), axis=0) > 0).all()


def test_the_unit_of_a_class_does_not_matter():
    made = make(n_train=500)
    unit = np.array([1.0, 1e3, 1e-3, 7.0, 1.0])
    logits = PlattCalibrator().fit(made.oof_scores, made.y_train).logits(made.oof_scores)
    other = PlattCalibrator().fit(made.oof_scores * unit, made.y_train)
    np.testing.assert_allclose(other.logits(made.oof_scores * unit), logits, rtol=1e-3, atol=1e-3)


def test_scores_that_are_all_zero_give_the_priors():
    labels = np.arange(100)[:, np.newaxis] < np.array([50, 20])
    probability = expit(PlattCalibrator().fit(np.zeros((100, 2)), labels).logits(np.zeros((1, 2))))
    np.testing.assert_allclose(probability, [[0.5, 0.2]], atol=0.05)


def test_a_class_that_is_mostly_zero_has_a_scale():
    assert class_scales(np.array([[0.0, 2.0], [0.0, -2.0], [3.0, 2.0]])).tolist() == [1.5, 2.0]
