"""Class-wise Platt scaling whose rare classes borrow strength from all the others.

The log-odds that a document belongs to a class are a line of the score, with a slope and an
intercept of the class's own. They are the mode of a posterior whose prior is centred on the
*pooled* line, the one fitted to all pairs alike: a class with many positives follows its own
scores, a class with few (or none) stays near the common line. All classes take their Newton
steps together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from satc.calibration.logistic import row_blocks
from satc.inputs import Labels, Scores

Array = NDArray[np.float64]

# Inverse variances of the prior of a slope and an intercept, for standardised scores.
_PULL = np.array([1.0, 1.0])
_STEPS = 60
_TOLERANCE = 1e-3
_TINY = 1e-300  # the smallest probability whose logarithm is taken
_LONGEST = 2.0  # a Newton step; lines of separable classes are otherwise overshot

Blocks = Iterator[tuple[Array, Labels]]  # standardised scores and labels of some documents


class PlattCalibrator:
    """Lines from scores to log-odds, one per class, shrunk toward the pooled one.

    Attributes
    ----------
    slope, intercept : arrays of shape (n_classes,)
        The log-odds of a score s are ``slope * s + intercept``.
    scale : array of shape (n_classes,)
        The typical magnitude of a class's scores.

    Examples
    --------
    >>> scores = np.array([[-1.0, -2.0], [1.0, -1.0], [-2.0, -1.0], [2.0, -3.0]])
    >>> labels = np.array([[0, 0], [1, 0], [0, 0], [1, 0]], dtype=bool)
    >>> logits = PlattCalibrator().fit(scores, labels).logits(scores)
    >>> bool((logits[[1, 3], 0] > 0).all() and (logits[:, 1] < 0).all())
    True
    """

    slope: Array
    intercept: Array
    scale: Array

    def fit(self, oof_scores: Scores, y_train: Labels) -> Self:
        """Fit the pooled line, then those of the classes around it."""
        self.scale = class_scales(oof_scores)
        self._mean, self._spread = _mean_and_spread(oof_scores, self.scale)
        blocks = partial(self._blocks, oof_scores, y_train, slice(None))

        def flat() -> Blocks:
            return ((scores.reshape(-1, 1), labels.reshape(-1, 1)) for scores, labels in blocks())

        start = np.array([[1.0], [_prior_log_odds(y_train)]])
        self._pooled = _newton(flat, start, start)
        centre = np.repeat(self._pooled, len(self.scale), axis=1)
        return self._take(_newton(blocks, centre, centre))

    def refit(
        self, oof_scores: Scores, y_train: Labels, known: NDArray[np.bool_]
    ) -> PlattCalibrator:
        """Fit the classes' lines to the known documents alone; the pooled line stays."""
        other = copy(self)
        centre = np.repeat(self._pooled, len(self.scale), axis=1)
        blocks = partial(self._blocks, oof_scores, y_train, known)
        return other._take(_newton(blocks, centre, self._lines))

    def _take(self, lines: Array) -> Self:
        self._lines = lines
        slope = lines[0] / self._spread
        self.intercept = lines[1] - self._mean * slope
        self.slope = slope / self.scale
        return self

    def _blocks(self, scores: Scores, labels: Labels, known: NDArray[np.bool_] | slice) -> Blocks:
        for rows in row_blocks(*scores.shape):
            some = rows if isinstance(known, slice) else rows.start + np.flatnonzero(known[rows])
            standard = scores[some] / self.scale
            standard -= self._mean
            standard /= self._spread
            yield standard, labels[some]

    def logits(self, scores: Scores) -> Array:
        """Log-odds that the documents belong to the classes, documents x classes."""
        logits = np.multiply(scores, self.slope, dtype=np.float64)
        logits += self.intercept
        return logits


def expit(logits: Array) -> Array:
    """Probabilities of log-odds.

    >>> expit(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    return 0.5 + 0.5 * np.tanh(0.5 * logits)


def class_scales(scores: Scores) -> Array:
    """Return the typical |score| of every class.

    Learners such as boosting score separable classes on scales of their own; what the classes
    have in common shows only after each is divided by its median.
    """
    n, m = scores.shape
    scale, mean = np.empty(m), np.empty(m)
    for classes in row_blocks(m, n):
        magnitude = np.abs(scores[:, classes])
        scale[classes] = np.median(magnitude, axis=0)
        mean[classes] = magnitude.mean(axis=0, dtype=np.float64)
    everywhere = float(mean.mean()) or 1.0
    return np.where(scale > 1e-9 * everywhere, scale, everywhere)


def _mean_and_spread(scores: Scores, scale: Array) -> tuple[float, float]:
    """Mean and standard deviation of all scores in units of their classes' typical ones."""
    mean = float((scores.mean(axis=0, dtype=np.float64) / scale).mean())
    squares = sum(
        float(np.square(scores[rows] / scale - mean).sum()) for rows in row_blocks(*scores.shape)
    )
    return mean, float(np.sqrt(squares / scores.size)) or 1.0


def _prior_log_odds(labels: Labels) -> float:
    positives = float(np.count_nonzero(labels))
    return float(np.log((positives + 0.5) / (labels.size - positives + 0.5)))


def _newton(blocks: Callable[[], Blocks], centre: Array, start: Array) -> Array:
    """Find the posterior mode of slope and intercept of every class (columns of `centre`).

    A step that makes a class worse is taken back and halved.
    """
    lines, step = start, np.zeros_like(start)
    best = np.full(centre.shape[1], np.inf)
    for _ in range(_STEPS):
        trial = lines - step
        value, gradient, hessian = _objective(blocks, trial, centre)
        better = value <= best
        lines = np.where(better, trial, lines)
        best = np.where(better, value, best)
        step = np.where(better, _newton_step(hessian, gradient), step / 2)
        if np.abs(step).max() < _TOLERANCE:
            break
    return lines


def _objective(
    blocks: Callable[[], Blocks], lines: Array, centre: Array
) -> tuple[Array, Array, Array]:
    """Penalised log-loss of every class, its gradient and its (symmetric) Hessian."""
    away = lines - centre
    value = 0.5 * (_PULL @ (away * away))
    gradient = _PULL[:, np.newaxis] * away
    hessian = np.zeros((3, lines.shape[1]))
    hessian[0], hessian[2] = _PULL[0], _PULL[1]
    for scores, labels in blocks():
        probability = expit(lines[0] * scores + lines[1])
        residual = probability - labels
        curvature = probability * (1.0 - probability)
        weighted = curvature * scores
        value -= np.log(np.maximum(1.0 - np.abs(residual), _TINY)).sum(axis=0)
        gradient[0] += np.einsum("ij,ij->j", residual, scores)
        gradient[1] += residual.sum(axis=0)
        hessian[0] += np.einsum("ij,ij->j", weighted, scores)
        hessian[1] += weighted.sum(axis=0)
        hessian[2] += curvature.sum(axis=0)
    return value, gradient, hessian


def _newton_step(hessian: Array, gradient: Array) -> Array:
    """Solve the 2 x 2 systems of all classes by Cramer's rule; steps are not too long."""
    a, b, c = hessian
    first, second = gradient
    step = np.stack([c * first - b * second, a * second - b * first]) / (a * c - b * b)
    return step / np.maximum(1.0, np.abs(step).max(axis=0) / _LONGEST)
