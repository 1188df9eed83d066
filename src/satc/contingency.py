"""Contingency tables: the numbers of TP, FP, FN and TN of each class (Section 3).

One object holds the tables of all classes as four vectors. A pooled object (*micro*, Section 8)
holds a single table. Cells are real numbers, because they may be estimates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import check_same_shape

Cells = NDArray[np.float64]


@dataclass(frozen=True)
class ContingencyTables:
    """The contingency tables of all classes; each cell is a vector with one value per class.

    >>> tables = ContingencyTables.from_labels([[1, 0], [1, 1], [0, 1]], [[1, 1], [0, 1], [0, 1]])
    >>> tables.tp, tables.fp, tables.fn, tables.tn
    (array([1., 2.]), array([0., 1.]), array([1., 0.]), array([1., 0.]))
    """

    tp: Cells
    fp: Cells
    fn: Cells
    tn: Cells

    @classmethod
    def from_labels(cls, y_true: Any, y_pred: Any) -> ContingencyTables:
        """Count TP, FP, FN and TN of each class."""
        y_true, y_pred = np.asarray(y_true, dtype=bool), np.asarray(y_pred, dtype=bool)
        check_same_shape(y_true=y_true, y_pred=y_pred)
        n = y_true.shape[0]
        tp = np.count_nonzero(y_true & y_pred, axis=0)
        fp = np.count_nonzero(y_pred, axis=0) - tp
        fn = np.count_nonzero(y_true, axis=0) - tp
        return cls(*(np.asarray(cell, dtype=np.float64) for cell in (tp, fp, fn, n - tp - fp - fn)))

    def __iter__(self) -> Iterator[Cells]:
        """Iterate over tp, fp, fn, tn, so that one can write ``measure(*tables)``."""
        return iter((self.tp, self.fp, self.fn, self.tn))

    def scaled(self, factor: float) -> ContingencyTables:
        """Multiply all cells, for example the k-fold counts by |Te|/|Tr| (Section 4.3)."""
        return ContingencyTables(*(cell * factor for cell in self))

    def pooled(self) -> ContingencyTables:
        """Return one global table, the cell-wise sum over classes (Section 8)."""
        return ContingencyTables(*(np.atleast_1d(cell.sum()) for cell in self))
