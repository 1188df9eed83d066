import numpy as np

from plain_context import evidence
from satc.calibration.contextual import cooccurrence
from satc.calibration.contextual.calibrator import ContextualCalibrator


def labels_of(n, m, share, seed=0):
    return np.random.default_rng(seed).random((n, m)) < share


def test_all_classes_are_evidence_where_their_pairs_fit_into_memory():
    assert cooccurrence.heard_classes(labels_of(500, 60, 0.5)) is None


def test_only_the_most_frequent_classes_are_evidence_where_pairs_would_be_too_many(monkeypatch):
    labels = labels_of(50, 300, np.linspace(0.05, 0.6, 300))
    monkeypatch.setattr(cooccurrence, "MOST_PAIRS", 20_000)
    heard = cooccurrence.heard_classes(labels)
    counts = labels.sum(axis=0)
    assert 0 < heard.sum() < 300
    assert counts[heard].min() >= counts[~heard].max() - 1
    assert cooccurrence.cooccurrence_counts(labels, heard).nnz <= 20_000


def test_classes_that_are_not_heard_are_no_evidence(monkeypatch):
    labels = labels_of(50, 300, np.linspace(0.05, 0.6, 300))
    monkeypatch.setattr(cooccurrence, "MOST_PAIRS", 20_000)
    found = cooccurrence.Cooccurrence().fit(labels)
    silent = int(np.flatnonzero(~cooccurrence.heard_classes(labels))[0])
    probability = np.zeros((1, 300))
    probability[0, silent] = 0.9
    np.testing.assert_array_equal(evidence(found.never_, found.lift_, probability), 0.0)


def test_probabilities_are_finite_where_not_all_classes_are_heard(monkeypatch):
    labels = labels_of(200, 80, 0.4)
    monkeypatch.setattr(cooccurrence, "MOST_PAIRS", 3_000)
    scores = np.where(labels, 0.4, -0.4) + np.random.default_rng(2).normal(size=labels.shape)
    probability = ContextualCalibrator().fit(scores, labels).probabilities(scores)
    assert ((probability > 0.0) & (probability < 1.0)).all()
