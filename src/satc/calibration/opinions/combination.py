"""What an opinion adds to the log-odds that are believed so far.

The new log-odds are a linear function of the old ones and of the opinion's score, with coefficients
for each class (`planes`): an opinion is worth more in one class than in another, and where there
are too few examples to tell, it is worth what it is worth on the whole. A useless opinion gets a
weight near 0. Documents that the opinion does not know keep their log-odds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from satc.calibration.evidence import is_there
from satc.calibration.logistic import row_blocks
from satc.calibration.planes import class_planes, pooled_plane, sums_of
from satc.calibration.platt import class_scales, mean_and_spread
from satc.inputs import Labels

Array = NDArray[np.float64]
Believed = Callable[[NDArray[np.int64]], Array]  # the log-odds of some documents so far

_GROUPS = (4, 11, 31, 101)  # classes with fewer positives than this are alike
_FEWEST = 10  # documents with an opinion that are needed to learn what it is worth


class Combination:
    """Log-odds and an opinion as new log-odds.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.random((500, 3)) < 0.3
    >>> logits, opinion = (2.0 * labels - 1.0 + rng.normal(size=labels.shape) for _ in range(2))
    >>> told = Combination().fit(logits.__getitem__, opinion, labels)
    >>> both = told.log_odds(logits, opinion)
    >>> wrong = [np.mean((one > 0) != labels) for one in (logits, both)]
    >>> bool(wrong[1] < wrong[0])
    True
    """

    def fit(self, believed: Believed, opinion: Array, labels: Labels) -> Self:
        """Learn the coefficients from documents whose labels are known."""
        there = is_there(opinion)
        self.is_learnt = np.count_nonzero(there) >= _FEWEST
        if not self.is_learnt:
            return self
        some = opinion[there]
        self._scale = class_scales(some)
        self._mean, self._spread = mean_and_spread(some, self._scale)
        self._size = 1.0
        blocks = partial(self._blocks, believed, opinion, labels, there)
        self._size = _root_mean_square([inputs[0] for inputs, _ in blocks()])
        pooled = pooled_plane(blocks, np.array([[self._size], [0.0], [0.0]]))
        self._centre = self._of_groups(blocks, pooled, labels[there].sum(axis=0))
        return self._set_planes(class_planes(sums_of(blocks), self._centre, self._centre))

    def _of_groups(self, blocks: Any, pooled: Array, positives: NDArray[np.int64]) -> Array:
        """Return the plane of the classes of about the same size, coefficients x classes.

        An opinion can be worth much in frequent classes, and little in rare ones.
        """
        centre = np.repeat(pooled, len(positives), axis=1)
        group = np.searchsorted(_GROUPS, positives, side="right")
        for k in np.unique(group):
            inside = group == k

            def some(inside: NDArray[np.bool_] = inside) -> Iterator[tuple[list[Array], Labels]]:
                for inputs, labels in blocks():
                    yield [one[:, inside] for one in inputs], labels[:, inside]

            centre[:, inside] = pooled_plane(some, pooled)
        return centre

    def refit(
        self, believed: Believed, opinion: Array, labels: Labels, known: NDArray[np.bool_]
    ) -> Combination:
        """Return a combination whose coefficients are fitted to the known documents only.

        The coefficients of classes of about the same size are not fitted again.
        """
        other = copy(self)
        if not self.is_learnt:
            return other
        blocks = partial(self._blocks, believed, opinion, labels, known & is_there(opinion))
        return other._set_planes(class_planes(sums_of(blocks), self._centre, self._planes))

    def log_odds(self, logits: Array, opinion: Array, columns: Any = slice(None)) -> Array:
        """Return the new log-odds of documents, or of pairs in some columns."""
        if not self.is_learnt:
            return logits
        told = opinion * self._of_opinion[columns]
        told += self._of_logits[columns] * logits
        told += self._intercept[columns]
        return np.where(np.isfinite(told), told, logits)

    def _set_planes(self, planes: Array) -> Self:
        self._planes = planes
        self._of_logits = planes[0] / self._size
        slope = planes[1] / self._spread
        self._of_opinion = slope / self._scale
        self._intercept = planes[2] - self._mean * slope
        return self

    def _blocks(
        self, believed: Believed, opinion: Array, labels: Labels, known: NDArray[np.bool_]
    ) -> Iterator[tuple[list[Array], Labels]]:
        for rows in row_blocks(*labels.shape):
            some = rows.start + np.flatnonzero(known[rows])
            standard = (opinion[some] / self._scale - self._mean) / self._spread
            yield [believed(some) / self._size, standard], labels[some]


def _root_mean_square(parts: list[Array]) -> float:
    total = sum(float(np.square(part).sum()) for part in parts)
    return float(np.sqrt(total / max(1, sum(part.size for part in parts)))) or 1.0
