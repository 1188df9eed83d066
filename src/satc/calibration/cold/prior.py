"""The prior of a cold start: what is believed of predictions before anybody has checked one.

Two things are believed: that the classifier is right more often than not, and that it errs where
its confidence is low. The log-odds of a label are a line of the score through the origin, so the
classifier's decision is the more probable one. Its slope is such that `ERRORS_PER_LABEL` errors are
expected for each label that was predicted: a wrong label and a missing one for every four. So the
prior does not depend on the unit of the scores.

Predictions that are not *graded* (labels, or the votes of a few people) say nothing about
confidence between their few values. A missing label is then as probable for each of the many
classes that a document did not get, and the line has an intercept with which as many labels are
expected as were predicted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import softmax

from satc.calibration.platt import expit
from satc.decisions import by_sign
from satc.inputs import SINGLE_LABEL, Scores

Array = NDArray[np.float64]

ERRORS_PER_LABEL = 0.5  # expected errors, for each predicted label
_FEW_VALUES = 20  # scores with at most this many different values are not graded
_LOG_SLOPES = (-8.0, 8.0)
_INTERCEPTS = (-60.0, 60.0)
_SAMPLE = 1 << 17  # scores of either sign, at most, from which the line is found
_DOCUMENTS = 20_000  # documents, at most, from which it is found where each has one label


class Line(NamedTuple):
    """Log-odds as a line of the score."""

    slope: float
    intercept: float = 0.0

    def log_odds(self, scores: Scores) -> Array:
        """Return the log-odds of scores."""
        return np.asarray(self.slope * scores + self.intercept, dtype=np.float64)

    def probabilities(self, scores: Scores, task: str) -> Array:
        """Return P(label); in a single-label task, the probabilities of a document sum to 1."""
        if task == SINGLE_LABEL:
            return np.asarray(softmax(self.log_odds(scores), axis=1))
        return expit(self.log_odds(scores))


def is_graded(scores: Scores) -> bool:
    """Whether scores tell how confident the classifier is, by more than a few different values.

    >>> is_graded(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    False
    """
    return len(np.unique(_sampled(scores.ravel()))) > _FEW_VALUES


def prior_line(scores: Scores, task: str) -> Line:
    """Return the line of the prior, for scores that are divided by the scale of their class."""
    if task == SINGLE_LABEL:
        some = scores[_sample(len(scores), _DOCUMENTS)]
        return Line(_slope(lambda slope: _wrong_documents(some, slope), ERRORS_PER_LABEL / 2))
    values, counts = _weighted(scores)
    labels = max(1.0, float(counts[by_sign(values)].sum()))
    if is_graded(scores):
        return Line(_slope(lambda slope: _errors(values, counts, Line(slope)) / labels))
    return _line_of_few_values(values, counts, labels)


def _slope(errors: Callable[[float], float], wanted: float = ERRORS_PER_LABEL) -> float:
    """Return the slope with which this many errors are expected; the nearest one if none has."""
    low, high = _LOG_SLOPES

    def surplus(logarithm: float) -> float:
        return float(errors(np.exp(logarithm))) - wanted

    if surplus(high) >= 0.0:
        return float(np.exp(high))
    if surplus(low) <= 0.0:
        return float(np.exp(low))
    return float(np.exp(scipy.optimize.brentq(surplus, low, high, xtol=1e-6)))


def _wrong_documents(scores: Scores, slope: float) -> float:
    """Return the expected share of documents whose largest score is not their label."""
    return float(1.0 - softmax(slope * scores, axis=1).max(axis=1).mean())


def _line_of_few_values(values: Array, counts: Array, labels: float) -> Line:
    """Return the line with which as many labels are expected as were predicted."""

    def intercept(slope: float) -> float:
        def surplus(shift: float) -> float:
            return float(counts @ expit(slope * values + shift)) - labels

        low, high = _INTERCEPTS
        if surplus(low) >= 0.0 or surplus(high) <= 0.0:
            return 0.0
        return float(scipy.optimize.brentq(surplus, low, high, xtol=1e-6))

    slope = _slope(lambda slope: _errors(values, counts, Line(slope, intercept(slope))) / labels)
    return Line(slope, intercept(slope))


def _errors(values: Array, counts: Array, line: Line) -> float:
    """Return how many decisions by the sign are expected to be wrong."""
    probability = expit(line.log_odds(values))
    return float(counts @ np.where(by_sign(values), 1.0 - probability, probability))


def _weighted(scores: Scores) -> tuple[Array, Array]:
    """Return a sample of the scores of either sign, and how many scores each stands for."""
    flat = scores.ravel()
    positive = by_sign(flat)
    values, counts = [], []
    for part in (flat[positive], flat[~positive]):
        some = _sampled(part)
        values.append(some.astype(np.float64))
        counts.append(np.full(len(some), len(part) / max(1, len(some))))
    return np.concatenate(values), np.concatenate(counts)


def _sampled(values: Scores) -> Scores:
    return values[_sample(len(values), _SAMPLE)]


def _sample(n: int, most: int) -> NDArray[np.int64] | slice:
    """Return the places of a sample of at most this size; all if there are not more."""
    if n <= most:
        return slice(None)
    return np.random.default_rng(0).choice(n, most, replace=False)
