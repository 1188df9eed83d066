"""Contextual probabilities where every document has exactly one label: they sum to 1.

The contextual calibrator looks at one class at a time. Its probabilities c of the classes of a
document become coherent by

    P(class j) is proportional to exp(a * logit(c_j) + b * log(c_j)).

With a = 0 and b = 1 this divides by the sum; with a = 1 and b = 0, the odds of the classes are
compared, which is right if classes are judged independently. The two numbers are fitted to the true
labels of training documents by maximum likelihood, with probabilities of calibrators that have not
seen the document: two further calibrators, each fitted on one half.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import log_softmax

from satc.calibration.contextual.calibrator import (
    ClassContext,
    ContextualCalibrator,
    is_enough,
)
from satc.calibration.evidence import rows_of
from satc.inputs import Labels, Scores, as_labels, as_scores, check_one_label

Array = NDArray[np.float64]

_LARGEST_WEIGHT = 5.0
_START = (0.3, 0.6)  # of the fit; also the weights if a half is too small for a calibrator


class OneLabelCalibrator(ContextualCalibrator):
    """P(document belongs to class) where each document belongs to exactly one class.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.eye(3, dtype=bool)[rng.integers(0, 3, 300)]
    >>> scores = labels - 0.5 + rng.normal(0, 0.5, labels.shape)
    >>> p = OneLabelCalibrator().fit(scores, labels).probabilities(scores[:2])
    >>> p.sum(axis=1).round(9)
    array([1., 1.])
    """

    def fit(self, oof_scores: Any, y_train: Any, train_features: Any = None) -> Self:
        """Fit to the out-of-fold scores and labels (and features) of training documents."""
        scores, labels = as_scores(oof_scores, "oof_scores"), as_labels(y_train, "y_train")
        check_one_label(labels, "y_train")
        super().fit(scores, labels, train_features)
        held_out = self._held_out(scores, labels, train_features)
        self.weights_ = np.array(_START)
        if held_out is not None:
            self.weights_ = fit_weights(held_out, labels)
        return self

    def _finish(self, probability: Array) -> None:
        probability[:] = coherent(probability, self.weights_)

    def context(self, scores: Any, i: int, features: Any = None) -> list[ClassContext]:
        """Return the features of document i and their effect, one entry per class."""
        found = super().context(scores, i, features)
        after = coherent(np.array([[one.after for one in found]]), self.weights_)[0]
        return [one._replace(after=float(p)) for one, p in zip(found, after, strict=True)]

    def _held_out(self, scores: Scores, labels: Labels, features: Any) -> Array | None:
        """Return probabilities by calibrators of the other half; None if a half is too small."""
        half = np.random.default_rng(self.random_state).permutation(len(scores)) % 2 == 0
        probability = np.empty(scores.shape)
        for inside in (half, ~half):
            if not is_enough(labels[~inside]):
                return None
            other = ContextualCalibrator(self.random_state, max_pairs=self.max_pairs)
            given = [rows_of(features, np.flatnonzero(k)) for k in (~inside, inside)]
            other.fit(scores[~inside], labels[~inside], given[0])
            probability[inside] = other.probabilities(scores[inside], given[1])
        return probability


def coherent(probability: Array, weights: Array) -> Array:
    """Return probabilities that sum to 1 in each row.

    >>> coherent(np.array([[0.5, 0.5], [0.2, 0.6]]), np.array([0.0, 1.0]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    of_odds, of_logarithm = weights
    logits = np.log(probability)
    logits *= of_odds + of_logarithm
    logits -= of_odds * np.log(1.0 - probability)
    logits -= logits.max(axis=1, keepdims=True)
    shares: Array = np.exp(logits, out=logits)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def fit_weights(probability: Array, labels: Labels) -> Array:
    """Return the two weights of `coherent` that make the labels most likely."""
    logarithm = np.log(probability)
    terms = np.stack([logarithm - np.log1p(-probability), logarithm])
    of_truth = terms[:, labels].sum(axis=1)

    def loss(weights: Array) -> tuple[float, Array]:
        logits = log_softmax(np.tensordot(weights, terms, 1), axis=1)
        expected = np.einsum("kij,ij->k", terms, np.exp(logits))
        n = len(labels)
        return -float(logits[labels].sum()) / n, (expected - of_truth) / n

    bounds = [(0.0, _LARGEST_WEIGHT)] * 2
    found = scipy.optimize.minimize(
        loss, np.array(_START), jac=True, method="L-BFGS-B", bounds=bounds
    )
    return np.asarray(found.x)
