"""The tables of the paper's dynamic method (Section 7).

Each correction moves one document from FP to TN or from FN to TP, and a table with a cell below 1
is smoothed again. The smoothed table is the one that later corrections change, so a table depends
on all its corrections in order. When a decision is removed, the tables of its wrong labels are
computed again from their first correction on; the other tables stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.gains import pointwise_gains_one
from satc.measures import FBeta, Measure
from satc.ranking.live.rows import GrowingRows
from satc.ranking.live.table_kernels import correct_table
from satc.ranking.live.table_updates import GainChanges, ValidatedDocument
from satc.ranking.live.whole_validation import Tables

Cells = tuple[float, float, float, float]


class UpdatedTables:
    """Tables that each correction updates; micro-averaging has one table and two columns."""

    learns_from_correct = False

    def __init__(
        self, tables: ContingencyTables, measure: Measure, *, smoothed: bool, micro: bool
    ) -> None:
        self._measure = measure
        self._smoothed = smoothed
        self._micro = micro
        self._first: list[Cells] = list(zip(*(cell.tolist() for cell in tables), strict=True))
        self._cells = self._first.copy()
        self._corrections = GrowingRows(3)  # document, table, whether it was decided positive

    @property
    def cells(self) -> list[Cells]:
        """The present tables: tp, fp, fn and tn of each."""
        return self._cells.copy()

    def for_whole_validation(self) -> Tables | None:
        """Return a copy for the compiled loop of a whole validation; None if not for F-beta."""
        if not isinstance(self._measure, FBeta):
            return None
        squared = float(self._measure.beta * self._measure.beta)
        return Tables(np.array(self._cells).T.copy(), self._smoothed, self._micro, squared)

    def replace(self, removed: Collection[int], added: Sequence[ValidatedDocument]) -> GainChanges:
        """Remove decisions and add others: compute the tables that change, and their gains."""
        changed, kept = self._without(removed) if removed else ({}, None)
        new = [
            (i, 0 if self._micro else j, int(decided)) for i, wrong in added for j, decided in wrong
        ]
        by_table: dict[int, list[int]] = defaultdict(list)
        for _, table, decided in new:
            by_table[table].append(decided)
        for table, kinds in by_table.items():
            cells = changed.get(table, self._cells[table])
            changed[table] = correct_table(cells, np.array(kinds), self._smoothed)
        gains = self._gains(changed)
        if kept is not None:
            self._corrections.keep(kept)
        self._corrections.extend(new)
        for table, cells in changed.items():
            self._cells[table] = cells
        return gains

    def _without(self, removed: Collection[int]) -> tuple[dict[int, Cells], NDArray[np.bool_]]:
        """Return the tables that change without these documents, and the corrections that stay."""
        document, table, positive = self._corrections.as_array().T
        kept = ~np.isin(document, list(removed))
        changed = {}
        for t in np.unique(table[~kept]).tolist():
            left = np.ascontiguousarray(positive[kept & (table == t)])
            changed[t] = correct_table(self._first[t], left, self._smoothed)
        return changed, kept

    def _gains(self, changed: dict[int, Cells]) -> GainChanges:
        return [
            (column, *pointwise_gains_one(self._measure, *cells))
            for table, cells in changed.items()
            for column in ((0, 1) if self._micro else (table,))
        ]
