"""Exact utilities, of the few documents for which rounding could decide.

The utilities of blocks are sums of rounded probabilities. When several documents are within the
slack of the best, their utilities are summed again from the probabilities in full precision, in
the order of the classes. So the best document is exactly that of the plain definition; among
equal utilities the lowest number wins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.ranking.live.blocks import N_CHANGES, Blocks, slack_below
from satc.ranking.live.tiles import BLOCK
from satc.ranking.misclassification import Misclassification

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Exact(NamedTuple):
    """Probabilities and utilities in full precision, as far as they were needed."""

    rows: Array  # signed error probabilities of documents
    row_of: Indices  # position -> row; -1 if the probabilities are not here
    utility: Array  # of positions; nan if not summed
    summed: Indices  # the number of the change for which utilities of a block were summed
    champion: Indices  # the position of the best document of a block
    found: Indices  # the number of the change for which the champion was found
    missing: Indices  # buffer for positions whose probabilities are missing; the first is how many


class ExactRows:
    """The probabilities of documents in full precision, computed when they are first needed.

    Parameters
    ----------
    columns : Misclassification
    documents : int array
        Position -> document.
    """

    def __init__(self, columns: Misclassification, documents: Indices) -> None:
        self._columns = columns
        self._documents = documents
        n, n_blocks = len(documents), -(-len(documents) // BLOCK)
        rows = columns.all_rows
        self._n_rows = 0
        self.exact = Exact(
            np.empty((0, columns.shape[1])) if rows is None else rows,
            np.full(n, -1) if rows is None else documents,
            utility=np.full(n_blocks * BLOCK, np.nan),
            summed=np.full(n_blocks, -1),
            champion=np.full(n_blocks, -1),
            found=np.full(n_blocks, -1),
            missing=np.zeros(n + 1, dtype=np.int64),
        )

    @property
    def any_missing(self) -> bool:
        """Whether a search needs probabilities that are not here."""
        return bool(self.exact.missing[0])

    def keep(self, positions: Indices) -> None:
        """Keep the documents at some positions, in this order."""
        n_blocks = -(-len(positions) // BLOCK)
        self._documents = self._documents[positions]
        self.exact = self.exact._replace(
            row_of=self.exact.row_of[positions],
            utility=np.full(n_blocks * BLOCK, np.nan),
            summed=np.full(n_blocks, -1),
            champion=np.full(n_blocks, -1),
            found=np.full(n_blocks, -1),
        )

    def fetch_missing(self) -> None:
        """Compute the probabilities that a search has missed, if any."""
        exact = self.exact
        if not self.any_missing:
            return
        positions = exact.missing[1 : 1 + exact.missing[0]]
        exact.missing[0] = 0
        end = self._n_rows + len(positions)
        rows = exact.rows
        if end > len(rows):
            rows = np.empty((max(end, 2 * len(rows)), rows.shape[1]))
            rows[: self._n_rows] = exact.rows[: self._n_rows]
            self.exact = exact._replace(rows=rows)
        rows[self._n_rows : end] = self._columns.signed_rows(self._documents[positions])
        exact.row_of[positions] = np.arange(self._n_rows, end)
        self._n_rows = end


@njit(cache=True)
def best_exact(ties: Indices, blocks: Blocks, exact: Exact, n_near: int) -> int:
    """Return the position of the best document of the near blocks.

    Returns -1 if there are no such blocks, or if rows are missing.
    """
    best = -np.inf
    for a in range(n_near):
        best = max(best, blocks.bounds[blocks.near[a]])
    for a in range(n_near):
        find_champion(ties, blocks, exact, best, blocks.near[a])
    if exact.missing[0] > 0:
        return -1
    winner, highest = -1, -np.inf
    for a in range(n_near):
        position = exact.champion[blocks.near[a]]
        utility = exact.utility[position]
        if utility > highest or (utility == highest and ties[position] < ties[winner]):
            winner, highest = position, utility
    return winner


@njit(cache=True)
def find_champion(ties: Indices, blocks: Blocks, exact: Exact, best: float, b: int) -> None:
    """Find the best document of a block, unless it is known for the present gains.

    Adds the positions whose probabilities are missing to `exact.missing`.
    """
    now, start = blocks.changes[N_CHANGES], b * BLOCK
    if exact.found[b] == now and blocks.utility[b, exact.champion[b] - start] != -np.inf:
        return
    if exact.summed[b] != now:
        exact.utility[start : start + BLOCK] = np.nan
        exact.summed[b] = now
    low = blocks.bounds[b] - slack_below(blocks.numbers, best)
    champion, highest, n_missing = -1, -np.inf, exact.missing[0]
    for position in range(start, start + BLOCK):
        rounded = blocks.utility[b, position - start]
        if rounded == -np.inf or rounded < low:
            continue
        if np.isnan(exact.utility[position]):
            row = exact.row_of[position]
            if row < 0:
                exact.missing[0] += 1
                exact.missing[exact.missing[0]] = position
                continue
            exact.utility[position] = exact_utility(exact.rows, row, blocks.gains)
        utility = exact.utility[position]
        if utility > highest or (utility == highest and ties[position] < ties[champion]):
            champion, highest = position, utility
    if exact.missing[0] == n_missing:
        exact.champion[b], exact.found[b] = champion, now


@njit(cache=True)
def exact_utility(rows: Array, row: int, gains: Array) -> float:
    """Equation 9 for one document, summed in the order of the classes."""
    total = 0.0
    for j in range(rows.shape[1]):
        p = rows[row, j]
        total += p * (gains[0, j] if p > 0 else -gains[1, j])
    return total
