"""The rounds of AdaBoost.MH: one pivot shared by all classes.

The algorithm of Schapire and Singer gives weights to pairs of a document and a class; the weights
of all pairs sum to 1. It chooses the term that minimises the sum over classes of the value that
MP-Boost minimises for each class separately. As in MP-Boost, the sums of weights per term and class
are updated from the documents whose weights changed relative to the others. The terms that could be
the best within the rounding error of these sums are summed again directly from the weights.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.learners.mpboost_design import Design
from satc.learners.mpboost_kernels import (
    ACCURACY,
    CANCELLATION,
    FLOOR,
    HUGE,
    TIE,
    ULP,
    Floats,
    Integers,
    Rows,
)

_TOLERANCE = 1e-4  # the sums are recomputed when the error of a value can be this large


class SharedBoosting:
    """AdaBoost.MH, round by round.

    In arrays with an axis for the side, index 0 is the negative side and index 1 the positive side.
    """

    def __init__(self, design: Design, labels: NDArray[np.bool_]) -> None:
        n, m = labels.shape
        self.design = design
        self.side = np.ascontiguousarray(labels, dtype=np.uint8)
        self.weight = np.full((n, m), 1.0 / n)  # to be multiplied by the scale of the side
        self.sums = np.empty((2, len(design.column), m))
        self.scale = np.full((2, m), 1.0 / m)  # total * scale sums to 1
        self.total = self._summed(self.weight, self.side)
        self.total_error = ULP * self.total
        self.rounding = np.zeros((2, m))  # bound on the rounding error of the sums
        self._recompute_sums()

    def round(self, epsilon: float) -> tuple[int, Floats]:
        """Run one round; return the column of the pivot and its votes, class x presence."""
        t, split = self._pivot()
        votes = _votes(split * self.scale, epsilon)
        self._reweight(t, split, votes)
        self._limit_errors()
        by_presence = votes if self.design.inverted[t] else votes[::-1]
        return int(self.design.column[t]), by_presence.T

    def _rows(self, t: int) -> Rows:
        return self.design.rows[self.design.row_start[t] : self.design.row_start[t + 1]]

    @staticmethod
    def _summed(weight: Floats, side: NDArray[np.uint8]) -> Floats:
        return np.stack([(weight * (side == s)).sum(axis=0) for s in (0, 1)])

    def _pivot(self) -> tuple[int, Floats]:
        """Return the term with the smallest value (of ties, the lowest index) and its split."""
        root = np.sqrt(self.scale[0] * self.scale[1])
        values = np.empty(len(self.design.column))
        _estimate_values(self.sums, self.total, root, values)
        candidates = np.flatnonzero(values <= values.min() + 2.0 * self._value_error())
        for t in candidates.tolist():
            split = self._split(t)
            values[t] = (root * np.sqrt(split[:, 0] * split[:, 1]).sum(axis=0)).sum()
        tied = candidates[values[candidates] <= values[candidates].min() * (1.0 + TIE)]
        pivot = int(tied[np.argmin(self.design.column[tied])])
        return pivot, self._split(pivot)

    def _split(self, t: int) -> Floats:
        """Return the weights of listed documents and of the rest, part x side x class."""
        rows = self._rows(t)
        listed = self._summed(self.weight[rows], self.side[rows])
        rest = self.total - listed
        cancelled = (rest < CANCELLATION * self.total).any(axis=0)
        if cancelled.any():
            unlisted = np.ones(len(self.side), dtype=np.bool_)
            unlisted[rows] = False
            cells = np.ix_(unlisted, cancelled)
            rest[:, cancelled] = self._summed(self.weight[cells], self.side[cells])
        return np.stack([listed, rest])

    def _reweight(self, t: int, split: Floats, votes: Floats) -> None:
        """Multiply the weights by exp(-y vote); for documents not listed, change `scale` only."""
        rows = self._rows(t)
        sign = np.array([[1.0], [-1.0]])
        factor = np.exp(sign * (votes[0] - votes[1]))
        before, self.total = self.total, split[1] + factor * split[0]
        self.total_error += ULP * (before + self.total)
        self.rounding += ULP * len(rows) * np.maximum(before, self.total)
        self.scale *= np.exp(sign * votes[1])
        self.scale /= (self.scale * self.total).sum()
        self.scale[self.total == 0] = 1.0  # of an empty side; it must not grow without limit
        old = self.weight[rows]
        new = old * np.where(self.side[rows] == 1, factor[1], factor[0])
        self.weight[rows] = new
        _add(self.sums, self.design.term_start, self.design.terms, self.side, rows, new - old)

    def _limit_errors(self) -> None:
        """Recompute totals, weights or sums if they have become too inexact or too large."""
        if (self.total_error > ACCURACY * self.total).any():
            self.total = self._summed(self.weight, self.side)
            self.total_error = ULP * self.total
        occupied = self.total[self.total > 0]
        if occupied.max() > HUGE or occupied.min() < 1.0 / HUGE:
            self._rescale()
        if self._value_error() > _TOLERANCE:
            self._recompute_sums()

    def _rescale(self) -> None:
        """Divide the weights so that every total is 1, and set tiny weights to 0."""
        total = np.where(self.total > 0, self.total, 1.0)
        self.weight /= np.where(self.side == 1, total[1], total[0])
        self.weight[self.weight < FLOOR] = 0.0
        self.sums /= total[:, np.newaxis]
        self.scale *= total
        self.rounding = self.rounding / total + ULP
        self.total = self._summed(self.weight, self.side)
        self.total_error = ULP * self.total

    def _recompute_sums(self) -> None:
        n = len(self.side)
        self.sums[:] = 0.0
        self.rounding = ULP * n * self.total
        rows = np.arange(n, dtype=np.uint32)
        _add(self.sums, self.design.term_start, self.design.terms, self.side, rows, self.weight)

    def _value_error(self) -> float:
        """Return a bound on the error of a value.

        An error d of a share changes its angle by at most 1.6 sqrt(d) (see `mpboost_kernels`).
        """
        occupied = (self.total > 0).all(axis=0)
        total, scale = self.total[:, occupied], self.scale[:, occupied]
        angle = 1.6 * np.sqrt(self.rounding[:, occupied] / total + ULP).sum(axis=0)
        return float((angle * np.sqrt(total * scale).prod(axis=0)).sum())


def _votes(split: Floats, epsilon: float) -> Floats:
    """Return the votes of both parts, part x class."""
    votes = 0.5 * np.log((split[:, 1] + epsilon) / (split[:, 0] + epsilon))
    # as in MP-Boost, a part without documents gets the vote of the other part
    one_sided = (split.sum(axis=0) == 0).any(axis=0)
    for part in (0, 1):
        empty = one_sided & (split[part].sum(axis=0) == 0)
        votes[part, empty] = votes[1 - part, empty]
    return np.asarray(votes)


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _estimate_values(sums: Floats, total: Floats, root: Floats, values: Floats) -> None:
    """Compute the value of every term from the sums; fastmath allows vectorised summation."""
    for t in range(len(values)):
        negative, positive = sums[0, t], sums[1, t]
        value = 0.0
        for k in range(len(root)):
            a, b = max(positive[k], 0.0), max(negative[k], 0.0)
            c, d = max(total[1, k] - a, 0.0), max(total[0, k] - b, 0.0)
            value += root[k] * (math.sqrt(a * b) + math.sqrt(c * d))
        values[t] = value


@njit(nogil=True, cache=True)
def _add(
    sums: Floats,
    term_start: Integers,
    terms: Rows,
    side: NDArray[np.uint8],
    rows: Rows,
    change: Floats,
) -> None:
    """Add the changes of documents to the sums of their terms.

    A document is positive in few classes; so only the negative side is updated for all classes.
    """
    m = side.shape[1]
    minus, plus, classes = np.empty(m), np.empty(m), np.empty(m, np.int64)
    for r in range(len(rows)):
        i = rows[r]
        count = 0
        for k in range(m):
            minus[k] = 0.0 if side[i, k] else change[r, k]
            if side[i, k]:
                plus[count], classes[count] = change[r, k], k
                count += 1
        for t in terms[term_start[i] : term_start[i + 1]]:
            negative, positive = sums[0, t], sums[1, t]
            for k in range(m):
                negative[k] += minus[k]
            for c in range(count):
                positive[classes[c]] += plus[c]
