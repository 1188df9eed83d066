"""The compiled loop of a whole validation with the tables of the paper, for F-beta.

Every correction changes one table, that changes the gains of one class, and they change the order.
Other measures are called in Python after each correction (`dynamic`); the order is the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.inputs import Labels
from satc.ranking.live.blocks import Blocks, are_unsorted, change_gain, set_group_bound, withdraw
from satc.ranking.live.exact import Exact, best_exact
from satc.ranking.live.search import only_rival, update_near
from satc.ranking.live.table_kernels import correct_table, pointwise_gains_of_f

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class WrongByDocument(NamedTuple):
    """The wrong decisions of all documents, one after the other."""

    start: Indices  # document -> where its wrong decisions start; one longer than the documents
    classes: Indices
    positive: Indices  # 1 if it was decided positive, otherwise 0

    @classmethod
    def between(cls, decided: Labels, y_true: Labels) -> WrongByDocument:
        """List the decisions that differ from the true labels."""
        start = count_wrong(decided, y_true)
        found = cls(start, *np.empty((2, start[-1]), dtype=np.int64))
        list_wrong(decided, y_true, *found)
        return found

    def of(self, i: int) -> list[tuple[int, bool]]:
        """Return the classes of the wrong decisions on document i, and what was decided."""
        here = slice(self.start[i], self.start[i + 1])
        pairs = zip(self.classes[here].tolist(), self.positive[here].tolist(), strict=True)
        return [(j, bool(positive)) for j, positive in pairs]


class Tables(NamedTuple):
    """The contingency tables of F-beta."""

    cells: Array  # 4 x tables: tp, fp, fn, tn
    smoothed: bool
    micro: bool  # one table, whose gains are those of two columns
    squared: float  # beta squared


@njit(cache=True)
def count_wrong(decided: Labels, y_true: Labels) -> Indices:
    """Return where the wrong decisions of each document start, and their number at the end."""
    n, m = decided.shape
    start = np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        count = 0
        for j in range(m):
            count += decided[i, j] != y_true[i, j]
        start[i + 1] = start[i] + count
    return start


@njit(cache=True)
def list_wrong(
    decided: Labels, y_true: Labels, start: Indices, classes: Indices, positive: Indices
) -> None:
    """Write class and decision of each wrong decision."""
    for i in range(len(decided)):
        place = start[i]
        if place == start[i + 1]:
            continue
        for j in range(decided.shape[1]):
            if decided[i, j] != y_true[i, j]:
                classes[place], positive[place] = j, decided[i, j]
                place += 1


@njit(cache=True)
def validate_all(
    ties: Indices,
    blocks: Blocks,
    exact: Exact,
    tables: Tables,
    wrong: WrongByDocument,
    order: Indices,
    filled: int,
) -> int:
    """Validate the best document until none is left, and append each to `order`.

    Returns how many entries of `order` are filled. Returns earlier if rows are missing, or if the
    documents should be sorted again.
    """
    _, largest, utility, bounds, group_bounds, gains, known, changes, stamps, numbers, near = blocks
    while filled < len(order):
        n_near = update_near(blocks)
        position = only_rival(utility, bounds, numbers, near[0]) if n_near == 1 else -1
        if position < 0:
            position = best_exact(ties, blocks, exact, n_near)
            if position < 0:
                break
        withdraw(utility, bounds, group_bounds, position)
        i = ties[position]
        order[filled] = i
        filled += 1
        start, end = wrong.start[i], wrong.start[i + 1]
        step = end - start if tables.micro else 1
        for place in range(start, end, max(step, 1)):  # step 4 of the algorithm in Section 7
            j = 0 if tables.micro else wrong.classes[place]
            fp, fn = correct_one(tables, j, wrong.positive[place : place + step])
            change_gain(largest, bounds, gains, known, changes, numbers, j, fp, fn)
            if tables.micro:
                change_gain(largest, bounds, gains, known, changes, numbers, 1, fp, fn)
        if start < end:
            for group in range(len(group_bounds)):
                set_group_bound(bounds, group_bounds, group)
            if are_unsorted(stamps, gains.shape[1]):
                break
    return filled


@njit(cache=True)
def correct_one(tables: Tables, t: int, positive: Indices) -> tuple[float, float]:
    """Correct table t; return its gains."""
    cells = tables.cells
    before = (cells[0, t], cells[1, t], cells[2, t], cells[3, t])
    now = correct_table(before, positive, tables.smoothed)
    cells[0, t], cells[1, t], cells[2, t], cells[3, t] = now
    return pointwise_gains_of_f(now, tables.squared)
