"""Class-wise Platt scaling, in which rare classes are close to the mean of all classes.

The log-odds that a document belongs to a class are a linear function of the score, with a slope and
an intercept for each class. They are the mode of a posterior whose prior is centred on the
*pooled* line, which is fitted to the pairs of all classes. So the line of a class with many
positives follows its own scores, and the line of a class with few positives (or none) stays near
the pooled line. Newton's method is applied to all classes at once.
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

# Inverse prior variances of the slope and of the intercept, for standardised scores.
_PRIOR_PRECISION = np.array([1.0, 1.0])
_MAX_STEPS = 60
_TOLERANCE = 1e-3
_TINY = 1e-300  # probabilities are at least this before the logarithm is taken
_LONGEST_STEP = 2.0  # of Newton's method; longer steps overshoot for separable classes

Blocks = Iterator[tuple[Array, Labels]]  # standardised scores and labels of some documents


class PlattCalibrator:
    """Lines from scores to log-odds, one per class, shrunk towards the pooled line.

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
        """Fit the pooled line, then the lines of the classes with a prior around it."""
        self.scale = class_scales(oof_scores)
        self._mean, self._spread = _mean_and_spread(oof_scores, self.scale)
        blocks = partial(self._blocks, oof_scores, y_train, slice(None))

        def pooled_blocks() -> Blocks:
            return ((scores.reshape(-1, 1), labels.reshape(-1, 1)) for scores, labels in blocks())

        start = np.array([[1.0], [_prior_log_odds(y_train)]])
        self._pooled = _newton(pooled_blocks, start, start)
        centre = np.repeat(self._pooled, len(self.scale), axis=1)
        return self._set_lines(_newton(blocks, centre, centre))

    def refit(
        self, oof_scores: Scores, y_train: Labels, known: NDArray[np.bool_]
    ) -> PlattCalibrator:
        """Return a calibrator whose lines are fitted to the known documents only.

        The pooled line is not fitted again.
        """
        other = copy(self)
        centre = np.repeat(self._pooled, len(self.scale), axis=1)
        blocks = partial(self._blocks, oof_scores, y_train, known)
        return other._set_lines(_newton(blocks, centre, self._lines))

    def _set_lines(self, lines: Array) -> Self:
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
        """Return the log-odds that documents belong to classes, documents x classes."""
        logits = np.multiply(scores, self.slope, dtype=np.float64)
        logits += self.intercept
        return logits


def expit(logits: Array) -> Array:
    """Return the probabilities of log-odds.

    >>> expit(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    return 0.5 + 0.5 * np.tanh(0.5 * logits)


def class_scales(scores: Scores) -> Array:
    """Return the typical |score| of every class: the median.

    Some learners, such as boosting, give each separable class a scale of its own. Scores can be
    compared between classes only after division by this scale.
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
    """Return mean and standard deviation of all scores, each divided by the scale of its class."""
    mean = float((scores.mean(axis=0, dtype=np.float64) / scale).mean())
    squares = sum(
        float(np.square(scores[rows] / scale - mean).sum()) for rows in row_blocks(*scores.shape)
    )
    return mean, float(np.sqrt(squares / scores.size)) or 1.0


def _prior_log_odds(labels: Labels) -> float:
    positives = float(np.count_nonzero(labels))
    return float(np.log((positives + 0.5) / (labels.size - positives + 0.5)))


def _newton(blocks: Callable[[], Blocks], centre: Array, start: Array) -> Array:
    """Return the posterior mode of slope and intercept of every class.

    `centre` is the mean of the prior, 2 x classes. If a step makes the objective of a class worse,
    it is undone and halved.
    """
    lines, step = start, np.zeros_like(start)
    best = np.full(centre.shape[1], np.inf)
    for _ in range(_MAX_STEPS):
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
    """Return the penalised log-loss of every class, its gradient and its (symmetric) Hessian."""
    distance = lines - centre
    value = 0.5 * (_PRIOR_PRECISION @ (distance * distance))
    gradient = _PRIOR_PRECISION[:, np.newaxis] * distance
    hessian = np.zeros((3, lines.shape[1]))
    hessian[0], hessian[2] = _PRIOR_PRECISION
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
    """Solve the 2 x 2 systems of all classes by Cramer's rule, and limit the steps."""
    a, b, c = hessian
    first, second = gradient
    step = np.stack([c * first - b * second, a * second - b * first]) / (a * c - b * b)
    return step / np.maximum(1.0, np.abs(step).max(axis=0) / _LONGEST_STEP)
