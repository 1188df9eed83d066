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

from satc.arrays.compiled import as_doubles, as_flags
from satc.calibration.line_sums import N_SUMS, add_documents
from satc.calibration.logistic import row_blocks
from satc.calibration.planes import AddSums, class_planes, expit, pooled_plane, sums_of
from satc.inputs import Labels, Scores
from satc.machine.threads import in_threads, map_in_threads

__all__ = ["PlattCalibrator", "class_scales", "expit", "mean_and_spread"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

_ALL = -1  # the fold of a document that all fits use
_LEAST_ROWS = 8  # of a block: what is done once for each class and block takes time, too
# Up to this number of pairs NumPy sums up, as quickly as the compiled loop. The last digits of the
# lines of small projects stay the same in this way: random draws, such as those of the live
# estimate, can depend on them.
_FEW_PAIRS = 1 << 14


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
        fold = np.full(len(y_train), _ALL)
        start = np.array([[1.0], [_prior_log_odds(y_train)]])
        self._pooled = self._pooled_line(oof_scores, y_train, fold, start)
        add = self._add_sums_of(oof_scores, y_train, fold)
        centre = np.repeat(self._pooled, len(self.scale), axis=1)
        return self._set_lines(class_planes(add, centre, centre))

    def refit(
        self, oof_scores: Scores, y_train: Labels, known: NDArray[np.bool_]
    ) -> PlattCalibrator:
        """Return a calibrator whose lines are fitted to the known documents only.

        The pooled line is not fitted again.
        """
        return self.refit_folds(oof_scores, y_train, np.where(known, _ALL, 0))[0]

    def refit_folds(
        self, oof_scores: Scores, y_train: Labels, fold: Indices
    ) -> list[PlattCalibrator]:
        """Return, for each fold, a calibrator whose lines are fitted to the other folds.

        `fold` is the fold of each document; documents with -1 are in all fits.
        """
        n, m = max(1, int(fold.max()) + 1), len(self.scale)
        add = self._add_sums_of(oof_scores, y_train, fold)
        centre = np.repeat(self._pooled, n * m, axis=1)
        lines = class_planes(add, centre, np.tile(self._lines, n), n)
        parts = (lines[:, k * m : (k + 1) * m] for k in range(n))
        return [copy(self)._set_lines(part) for part in parts]

    def _set_lines(self, lines: Array) -> Self:
        self._lines = lines
        slope = lines[0] / self._spread
        self.intercept = lines[1] - self._mean * slope
        self.slope = slope / self.scale
        return self

    def _add_sums_of(self, scores: Scores, labels: Labels, fold: Indices) -> AddSums:
        """Return what adds up the sums of the lines of all classes, for each fold apart."""
        add = self._add_few if scores.size <= _FEW_PAIRS else self._add_many
        return partial(add, scores, labels, fold)

    def _pooled_line(self, scores: Scores, labels: Labels, fold: Indices, start: Array) -> Array:
        if scores.size <= _FEW_PAIRS:
            return pooled_plane(partial(self._blocks, scores, labels), start)
        add = self._add_sums_of(scores, labels, fold)
        return class_planes(partial(self._add_pooled_sums, add), start, start)

    def _add_few(
        self,
        scores: Scores,
        labels: Labels,
        fold: Indices,
        lines: Array,
        active: Flags,
        sums: Array,
    ) -> None:
        m = scores.shape[1]
        for k in np.flatnonzero(active):
            classes = slice(k * m, (k + 1) * m)
            blocks = partial(self._blocks, scores[fold != k], labels[fold != k])
            sums_of(blocks)(lines[:, classes], active, sums[:, classes])

    def _blocks(self, scores: Scores, labels: Labels) -> Iterator[tuple[list[Array], Labels]]:
        """Return standardised scores and labels."""
        for rows in row_blocks(len(scores), scores.shape[1], _LEAST_ROWS):
            standard = scores[rows] / self.scale
            standard -= self._mean
            standard /= self._spread
            yield [standard], labels[rows]

    def _add_many(
        self,
        scores: Scores,
        labels: Labels,
        fold: Indices,
        lines: Array,
        active: Flags,
        sums: Array,
    ) -> None:
        """Add up in compiled loops (`line_sums`), in threads."""
        n, m = scores.shape
        by_fold = np.ascontiguousarray(lines.reshape(2, -1, m).transpose(1, 0, 2))

        def of_block(rows: slice) -> Array:
            part = np.zeros((len(by_fold), N_SUMS, m))
            known = as_doubles(scores[rows]), as_flags(labels[rows]), fold[rows]
            standard = self.scale, self._mean, self._spread
            add_documents(*known, *standard, by_fold, active, part)
            return part.transpose(1, 0, 2).reshape(N_SUMS, -1)

        for part in map_in_threads(of_block, list(row_blocks(n, m, _LEAST_ROWS))):
            sums += part

    def _add_pooled_sums(self, add: AddSums, line: Array, active: Flags, sums: Array) -> None:
        of_classes = np.zeros((N_SUMS, len(self.scale)))
        add(np.repeat(line, len(self.scale), axis=1), active, of_classes)
        sums += of_classes.sum(axis=1, keepdims=True)

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

    def find(classes: slice) -> None:
        magnitude = np.abs(scores[:, classes].T, order="C")
        mean[classes] = magnitude.mean(axis=1, dtype=np.float64)
        scale[classes] = np.median(magnitude, axis=1, overwrite_input=True)

    in_threads(find, list(row_blocks(m, n)))
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
