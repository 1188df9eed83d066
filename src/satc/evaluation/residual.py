"""The residual error at rank n: the error after n documents were validated (Section 5.1).

Each correction moves one document of one class from FP to TN or from FN to TP, and lowers the error
of that class. The decrease is called *drop*. All curves are sums of drops, so they are computed
from the list of corrections, in the order in which they happen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.inputs import Labels, check_average
from satc.measures import Measure, evaluate

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Drops:
    """The decreases of the error, one per correction, in the order of validation."""

    n_documents: int
    n_classes: int
    rank: NDArray[np.int64]  # rank of the document, 1 for the first
    label: NDArray[np.int64]  # the class that was corrected
    drop: Array  # the decrease of the error of that class (micro: of the global error)
    average: str

    def residual_error(self) -> Array:
        """Return E(n) for n = 0, ..., |Te|; for macro, the mean over classes."""
        at_rank = _sums(self.rank, self.drop, self.n_documents + 1)
        scale = self.n_classes if self.average == "macro" else 1
        # The sum starts at the end, where the error is 0, so that the last value is exactly 0.
        return np.append(np.cumsum(at_rank[:0:-1])[::-1], 0.0) / scale

    def by_class(self, weights: Array | None = None) -> Array:
        """Sum the drops of each class, weighted by rank; without weights, its initial error."""
        drop = self.drop if weights is None else self.drop * weights[self.rank - 1]
        return _sums(self.label, drop, self.n_classes)


def drops(
    order: NDArray[np.int64], decided: Labels, y_true: Labels, measure: Measure, average: str
) -> Drops:
    """Return the drop of each correction when documents are validated in this order."""
    check_average(average)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(1, len(order) + 1)
    document, label = np.nonzero(decided != y_true)
    tables = ContingencyTables.from_labels(y_true, decided)
    by = np.lexsort((label, position[document]))
    document, label = document[by], label[by]
    is_fp = decided[document, label]
    if average == "micro":
        group, tables = np.zeros_like(label), tables.pooled()
    else:
        group = label
    within = np.argsort(group, kind="stable")
    drop = np.empty(len(group))
    drop[within] = rises(group[within], is_fp[within], tables, measure)
    return Drops(len(order), decided.shape[1], position[document], label, drop, average)


def rises(
    group: NDArray[np.int64], is_fp: NDArray[np.bool_], tables: ContingencyTables, measure: Measure
) -> Array:
    """Return by how much each correction raises the measure of its group, a class or all classes.

    Corrections are sorted by group, and within a group in the order of validation. `tables` are
    those before the first correction.
    """
    fp_before, fn_before = _counts_before(group, is_fp)
    tp, fp, fn, tn = (cell[group] for cell in tables)
    corrected_fp = is_fp.astype(np.float64)
    corrected_fn = 1.0 - corrected_fp
    before = (tp + fn_before, fp - fp_before, fn - fn_before, tn + fp_before)
    after = (
        before[0] + corrected_fn,
        before[1] - corrected_fp,
        before[2] - corrected_fn,
        before[3] + corrected_fp,
    )
    return np.asarray(evaluate(measure, *after) - evaluate(measure, *before))


def _sums(positions: NDArray[np.int64], values: Array, size: int) -> Array:
    return np.bincount(positions, weights=values, minlength=size).astype(np.float64)


def _counts_before(group: NDArray[np.int64], is_fp: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Count the FP and FN that precede each entry within its group (groups are contiguous)."""
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(np.append(starts, len(group)))
    result: list[Array] = []
    for kind in (is_fp, ~is_fp):
        running = np.cumsum(kind, dtype=np.float64) - kind
        result.append(running - np.repeat(running[starts], sizes))
    return result[0], result[1]
