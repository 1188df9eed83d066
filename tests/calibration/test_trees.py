import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from satc.calibration.contextual.trees import Trees


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_001, 5)).round(1).astype(np.float32)  # many values equal a threshold
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0.5
    return HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=15).fit(X, y), X


@pytest.mark.parametrize("n", [1, 2, 3, 4, 255, 257, 3_001])
def test_the_walk_is_scikit_learn_s(fitted, n):
    model, X = fitted
    np.testing.assert_allclose(
        Trees.of(model, X).log_odds(X[:n]), model.decision_function(X[:n]), rtol=0, atol=1e-12
    )


def test_values_next_to_a_threshold_go_the_same_way(fitted):
    model, X = fitted
    up, down = (np.nextafter(X, np.float32(to)) for to in (np.inf, -np.inf))
    for moved in (up, down):
        np.testing.assert_allclose(
            Trees.of(model, X).log_odds(moved), model.decision_function(moved), rtol=0, atol=1e-12
        )


def test_a_tree_without_a_split_is_a_constant():
    X = np.zeros((60, 2), dtype=np.float32)
    model = HistGradientBoostingClassifier(max_iter=3).fit(X, np.arange(60) < 20)
    np.testing.assert_allclose(
        Trees.of(model, X).log_odds(X), model.decision_function(X), atol=1e-12
    )
