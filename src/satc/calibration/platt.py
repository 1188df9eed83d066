"""Class-wise Platt scaling, in which rare classes are close to the mean of all classes.

The log-odds that a document belongs to a class are a linear function of the score, with a slope and
an intercept for each class. The line of a class with many positives follows its own scores, and the
line of a class with few positives (or none) stays near the *pooled* line, which is fitted to the
pairs of all classes (`planes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from satc.calibration.logistic import row_blocks
from satc.calibration.planes import class_planes, expit, pooled_plane
from satc.inputs import Labels, Scores

__all__ = ["PlattCalibrator", "class_scales", "expit", "mean_and_spread"]

Array = NDArray[np.float64]


_LEAST_ROWS = 8  # of a block: what is done once for each class and block takes time, too


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
        self._mean, self._spread = mean_and_spread(oof_scores, self.scale)
        blocks = partial(self._blocks, oof_scores, y_train, slice(None))
        start = np.array([[1.0], [_prior_log_odds(y_train)]])
        self._pooled = pooled_plane(blocks, start)
        centre = np.repeat(self._pooled, len(self.scale), axis=1)
        return self._set_lines(class_planes(blocks, centre, centre))

    def refit(
        self, oof_scores: Scores, y_train: Labels, known: NDArray[np.bool_]
    ) -> PlattCalibrator:
        """Return a calibrator whose lines are fitted to the known documents only.

        The pooled line is not fitted again.
        """
        other = copy(self)
        centre = np.repeat(self._pooled, len(self.scale), axis=1)
        blocks = partial(self._blocks, oof_scores, y_train, known)
        return other._set_lines(class_planes(blocks, centre, self._lines))

    def _set_lines(self, lines: Array) -> Self:
        self._lines = lines
        slope = lines[0] / self._spread
        self.intercept = lines[1] - self._mean * slope
        self.slope = slope / self.scale
        return self

    def _blocks(
        self, scores: Scores, labels: Labels, known: NDArray[np.bool_] | slice
    ) -> Iterator[tuple[list[Array], Labels]]:
        for rows in row_blocks(len(scores), scores.shape[1], _LEAST_ROWS):
            some = rows if isinstance(known, slice) else rows.start + np.flatnonzero(known[rows])
            standard = scores[some] / self.scale
            standard -= self._mean
            standard /= self._spread
            yield [standard], labels[some]

    def logits(self, scores: Scores, columns: Any = slice(None)) -> Array:
        """Return the log-odds that documents belong to classes, documents x classes.

        With columns, `scores` are those of pairs of a document and the class in that column.
        """
        logits = np.multiply(scores, self.slope[columns], dtype=np.float64)
        logits += self.intercept[columns]
        return logits


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


def mean_and_spread(scores: Scores, scale: Array) -> tuple[float, float]:
    """Return mean and standard deviation of all scores, each divided by the scale of its class."""
    mean = float((scores.mean(axis=0, dtype=np.float64) / scale).mean())
    squares = sum(
        float(np.square(scores[rows] / scale - mean).sum()) for rows in row_blocks(*scores.shape)
    )
    return mean, float(np.sqrt(squares / scores.size)) or 1.0


def _prior_log_odds(labels: Labels) -> float:
    positives = float(np.count_nonzero(labels))
    return float(np.log((positives + 0.5) / (labels.size - positives + 0.5)))
