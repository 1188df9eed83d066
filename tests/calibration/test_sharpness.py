import numpy as np

from satc.calibration.similarity.damping import SHARPNESSES, best_sharpness
from satc.calibration.similarity.nearest import vote_weights
from satc.calibration.similarity.selection import Nearest


def found(similarity):
    similarity = np.asarray(similarity, dtype=np.float32)
    neighbour = np.tile(np.arange(similarity.shape[1], dtype=np.int32), (len(similarity), 1))
    return Nearest(neighbour, similarity)


def test_weights_are_powers_of_similarities_and_sum_to_one():
    similarity = np.array([[0.9, 0.6, 0.3], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
    for sharpness in SHARPNESSES:
        weights = vote_weights(found(similarity), 3, sharpness).toarray()
        expected = similarity**sharpness
        expected /= np.maximum(expected.sum(axis=1, keepdims=True), 1e-300)
        np.testing.assert_allclose(weights, expected, atol=1e-6)


def test_small_similarities_do_not_vanish():
    weights = vote_weights(found([[1e-4, 1e-5]]), 2, 32.0).toarray()
    np.testing.assert_allclose(weights, [[1.0, 0.0]], atol=1e-6)


def test_votes_are_sharp_where_only_the_nearest_are_right():
    """Each document has two twins with its label among many that are nearly as similar."""
    rng = np.random.default_rng(0)
    common, groups = 3.0 * np.ones(40), rng.normal(size=(150, 40))
    vectors = np.repeat(groups, 3, axis=0) + 0.1 * rng.normal(size=(450, 40)) + common
    labels = np.repeat(rng.random((150, 4)) < 0.3, 3, axis=0)
    assert best_sharpness(vectors.astype(np.float32), labels, 20) >= 16.0


def test_votes_are_flat_where_all_neighbours_are_equally_right():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 300)
    vectors = np.eye(2)[label] * 5 + rng.normal(size=(300, 2)) * 0.01
    assert best_sharpness(vectors.astype(np.float32), np.eye(2, dtype=bool)[label], 20) == 1.0
