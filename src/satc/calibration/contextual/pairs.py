"""Pairs of document and class to learn from, a bounded number of very many.

All positives stay while they leave half of the room free, and as many negatives as then fit, each
with the same chance. Log-odds learnt from the sample are put right by the logarithm of the two
shares (weights would say the same, more slowly).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satc.calibration.logistic import row_blocks
from satc.inputs import Labels

Table = NDArray[np.float32]
Indices = NDArray[np.int64]
Pairs = tuple[Indices, Indices]  # rows and columns


class EvenSample:
    """An even sample of the rows of a long table that arrives in parts.

    Every row draws a key, and the rows with the smallest keys stay.

    Examples
    --------
    >>> sample = EvenSample(room=10)
    >>> for part in range(5):
    ...     keys = np.random.default_rng(part).random(20)
    ...     wanted = sample.wanted(keys)
    ...     sample.add(keys[wanted], np.full((wanted.sum(), 1), part, dtype=np.float32))
    >>> sample.rows().shape, sample.share
    ((10, 1), 0.1)
    """

    def __init__(self, room: int) -> None:
        self._room = max(1, room)
        self._limit = np.inf
        self._keys: list[NDArray[np.float64]] = []
        self._parts: list[Table] = []
        self._n_seen = 0

    def wanted(self, keys: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which rows of the next part are small enough to be added."""
        self._n_seen += len(keys)
        return keys < self._limit

    def add(self, keys: NDArray[np.float64], part: Table) -> None:
        """Add the wanted rows."""
        self._keys.append(keys)
        self._parts.append(part)
        if sum(map(len, self._keys)) > 1.25 * self._room:
            self._cut()

    def rows(self) -> Table:
        """Return the sample."""
        self._cut()
        return self._parts[0]

    @property
    def share(self) -> float:
        """The chance that each row had."""
        return min(1.0, self._room / max(1, self._n_seen))

    def _cut(self) -> None:
        keys, rows = np.concatenate(self._keys), np.concatenate(self._parts)
        if len(keys) > self._room:
            kept = np.argpartition(keys, self._room)[: self._room]
            kept.sort()
            self._limit = float(np.partition(keys, self._room)[self._room])
            keys, rows = keys[kept], rows[kept]
        self._keys, self._parts = [keys], [rows]


def some_pairs(shape: tuple[int, int], most: int, rng: np.random.Generator) -> Pairs:
    """Return all pairs, or so many drawn at random where there are more."""
    size = shape[0] * shape[1]
    flat = np.arange(size) if size <= most else rng.integers(size, size=most)
    return np.divmod(flat, shape[1])


def some_positives(labels: Labels, most: int, rng: np.random.Generator) -> Pairs:
    """Return all positive pairs, or about so many drawn at random where there are more."""
    share = most / max(1, int(np.count_nonzero(labels)))
    rows, columns = [], []
    for block in row_blocks(*labels.shape):
        row, column = np.nonzero(labels[block])
        kept = rng.random(len(row)) < share
        rows.append(row[kept] + block.start)
        columns.append(column[kept])
    return np.concatenate(rows), np.concatenate(columns)
