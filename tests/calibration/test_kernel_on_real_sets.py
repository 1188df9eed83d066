"""The compiled loop on real texts: the same probabilities and the same order as plain NumPy."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

import plain_context
from satc.calibration.contextual.calibrator import ContextualCalibrator
from satc.calibration.contextual.one_label import OneLabelCalibrator, coherent

N_DOCUMENTS = 2_000


@pytest.fixture(scope="module", params=["reuters21578", "banking77"])
def texts(request, dataset):
    """Features and labels of three parts: for a classifier, for the calibrator, and new ones."""
    found = dataset(request.param)
    rows = np.random.default_rng(0).permutation(len(found.train.texts))[:N_DOCUMENTS]
    features = TfidfVectorizer(max_features=3_000).fit_transform(
        [found.train.texts[i] for i in rows] + list(found.test.texts)
    )
    labels = np.concatenate([found.train.labels[rows], found.test.labels])
    cuts = len(rows) // 2, len(rows)
    places = np.split(np.arange(len(labels)), cuts)
    return [(features[part], labels[part]) for part in places]


def scores_of(texts):
    """Return how much nearer documents are to a class than is typical, by a simple classifier."""
    (known, labels), *others = texts
    centres = labels.T.astype(float) @ known / np.maximum(1, labels.sum(axis=0))[:, np.newaxis]
    return [features @ centres.T - 0.1 for features, _ in others]


@pytest.mark.parametrize("with_features", [False, True])
def test_probabilities_and_order_are_those_of_plain_numpy(texts, with_features):
    oof_scores, scores = scores_of(texts)
    _, (train_features, y_train), (features, _) = texts
    if not with_features:
        train_features = features = None
    one_label = bool((y_train.sum(axis=1) == 1).all())
    calibrator = OneLabelCalibrator() if one_label else ContextualCalibrator()
    calibrator.fit(oof_scores, y_train, train_features)
    expected, modelled = plain_context.probabilities(calibrator, scores, features)
    if one_label:
        expected = coherent(expected, calibrator.weights_)
    found = calibrator.probabilities(scores, features)
    assert 0.01 < modelled.mean() < 0.5
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(order_of(found), order_of(expected))


def order_of(probability):
    """Return the documents by the uncertainty of their labels, the largest first."""
    variance = (probability * (1.0 - probability)).sum(axis=1)
    return np.argsort(-variance, kind="stable")
