import numpy as np
import pytest
from scipy import sparse

from satc.calibration.similarity.centroids import Centroids
from satc.calibration.similarity.features import normalised


def made(seed=0):
    rng = np.random.default_rng(seed)
    features = normalised((rng.random((30, 12)) * (rng.random((30, 12)) < 0.4)).astype(np.float32))
    return features, (rng.random((30, 4)) < 0.3)


def cosine(document, others):
    total = others.sum(axis=0)
    length = np.linalg.norm(total)
    return float(document @ total / length) if length > 0 else 0.0


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_similarities_are_those_of_the_obvious_version(form):
    features, labels = made()
    queries, _ = made(1)
    centroids = Centroids().fit(form(features), sparse.csr_array(labels, dtype=np.float32))
    found = centroids.similarities(form(queries))
    expected = [[cosine(q, features[labels[:, j]]) for j in range(4)] for q in queries]
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_training_document_is_compared_with_the_others_alone(form):
    features, labels = made()
    labels[:, 3] = np.arange(30) == 7  # a class of one document
    centroids = Centroids().fit(form(features), sparse.csr_array(labels, dtype=np.float32))
    found = centroids.similarities(form(features), own=labels.astype(np.float32))
    for i, document in enumerate(features):
        others = np.arange(30) != i
        expected = [cosine(document, features[labels[:, j] & others]) for j in range(4)]
        np.testing.assert_allclose(found[i], expected, atol=2e-3)
