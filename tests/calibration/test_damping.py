import numpy as np
import pytest
from scipy import sparse

from satc.calibration.contextual.calibrator import ContextualCalibrator
from satc.calibration.similarity.damping import POWERS, best_power, damped


def made(kind, n=400, m=6, seed=0):
    """Documents of m classes: the words of the class are rare and heavy, or light and many."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, m, n)
    words = np.zeros((n, 10 * m + 200))
    for i, j in enumerate(label):
        words[i, 10 * j + rng.choice(10, 4, replace=False)] = 1.0 if kind == "light" else 8.0
        words[i, 10 * m + rng.choice(200, 3, replace=False)] = 8.0 if kind == "light" else 1.0
    return sparse.csr_array(words), np.eye(m, dtype=bool)[label]


@pytest.mark.parametrize(("kind", "power"), [("light", 0.0), ("heavy", 1.0)])
def test_the_power_is_that_with_which_neighbours_agree(kind, power):
    features, labels = made(kind)
    assert best_power(features, labels, 10) == power


def test_powers_change_sparse_weights_only():
    weights = sparse.csr_array([[4.0, 0.0, -9.0, 0.25]])
    np.testing.assert_allclose(damped(weights, 0.5).toarray(), [[2.0, 0.0, -3.0, 0.5]])
    np.testing.assert_allclose(damped(weights, 0.0).toarray(), [[1.0, 0.0, -1.0, 1.0]])
    np.testing.assert_array_equal(weights.toarray(), [[4.0, 0.0, -9.0, 0.25]])
    dense = np.array([[4.0, 9.0]])
    assert damped(dense, 0.5) is dense
    assert best_power(dense, np.array([[True]]), 10) == 1.0


def test_explicit_zeros_stay_zeros():
    weights = sparse.csr_array((np.array([0.0, 4.0]), np.array([0, 1]), np.array([0, 2])))
    np.testing.assert_array_equal(damped(weights, 0.0).toarray(), [[0.0, 1.0]])


@pytest.mark.slow
def test_the_calibrator_applies_the_same_power_to_new_documents():
    features, labels = made("light", 600)
    scores = labels - 0.5 + np.random.default_rng(1).normal(0, 0.8, labels.shape)
    train, new = slice(0, 400), slice(400, 600)
    fitted = ContextualCalibrator().fit(scores[train], labels[train], features[train])
    assert fitted.similar_.power in POWERS[1:]
    by_hand = damped(features, fitted.similar_.power)
    same = ContextualCalibrator().fit(scores[train], labels[train], by_hand[train])
    np.testing.assert_allclose(
        fitted.probabilities(scores[new], features[new]),
        same.probabilities(scores[new], by_hand[new]),
        rtol=1e-5,
    )
