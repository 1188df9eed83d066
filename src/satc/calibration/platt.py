"""Class-wise Platt scaling whose rare classes borrow strength from all the others.

The log-odds that a document belongs to a class are a line of the score, with a slope and an
intercept of the class's own. They are the mode of a posterior whose prior is centred on the
*pooled* line, the one fitted to all pairs alike: a class with many positives follows its own
scores, a class with few (or none) stays near the common line. All classes take their Newton
steps together.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from satc.inputs import Labels, Scores

Array = NDArray[np.float64]

# Inverse variances of the prior of a slope and an intercept, for standardised scores.
_PULL = np.array([1.0, 1.0])
_STEPS = 60
_TOLERANCE = 1e-3
_TINY = 1e-300  # the smallest probability whose logarithm is taken
_LONGEST = 2.0  # a Newton step; lines of separable classes are otherwise overshot
_BLOCK_PAIRS = 1 << 15  # they stay in the processor's cache


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
        standard = oof_scores / self.scale
        self._mean, self._spread = float(standard.mean()), float(standard.std()) or 1.0
        blocks = list(self._blocks(oof_scores, y_train))
        flat = [(scores.reshape(-1, 1), labels.reshape(-1, 1)) for scores, labels in blocks]
        start = np.array([[1.0], [_prior_log_odds(y_train)]])
        self._pooled = _newton(flat, start, start)
        centre = np.repeat(self._pooled, len(self.scale), axis=1)
        return self._take(_newton(blocks, centre, centre))

    def refit(self, oof_scores: Scores, y_train: Labels) -> PlattCalibrator:
        """Fit the classes' lines to part of the documents; the pooled line stays."""
        other = copy(self)
        blocks = list(self._blocks(oof_scores, y_train))
        centre = np.repeat(self._pooled, len(self.scale), axis=1)
        return other._take(_newton(blocks, centre, self._lines))

    def _take(self, lines: Array) -> Self:
        self._lines = lines
        slope = lines[0] / self._spread
        self.intercept = lines[1] - self._mean * slope
        self.slope = slope / self.scale
        return self

    def _blocks(self, scores: Scores, labels: Labels) -> Iterator[tuple[Array, Labels]]:
        size = max(1, _BLOCK_PAIRS // scores.shape[1])
        for start in range(0, len(scores), size):
            standard = scores[start : start + size] / self.scale
            standard -= self._mean
            standard /= self._spread
            yield standard, labels[start : start + size]

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
    scale = np.median(np.abs(scores), axis=0).astype(np.float64)
    everywhere = float(np.mean(np.abs(scores), dtype=np.float64)) or 1.0
    return np.where(scale > 1e-9 * everywhere, scale, everywhere)


def _prior_log_odds(labels: Labels) -> float:
    positives = float(np.count_nonzero(labels))
    return float(np.log((positives + 0.5) / (labels.size - positives + 0.5)))


def _newton(blocks: list[tuple[Array, Labels]], centre: Array, start: Array) -> Array:
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
    blocks: list[tuple[Array, Labels]], lines: Array, centre: Array
) -> tuple[Array, Array, Array]:
    """Penalised log-loss of every class, its gradient and its (symmetric) Hessian."""
    away = lines - centre
    value = 0.5 * (_PULL @ (away * away))
    gradient = _PULL[:, np.newaxis] * away
    hessian = np.zeros((3, lines.shape[1]))
    hessian[0], hessian[2] = _PULL[0], _PULL[1]
    for scores, labels in blocks:
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
