"""A random sample of pairs of document and class, of bounded size.

All positive pairs are kept if they fill at most half of the sample; negative pairs fill the rest,
each with the same probability. The log-odds of a model that is fitted to the sample are corrected
by the logarithms of the two sampling rates. (Weights would have the same effect, but are slower.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satc.calibration.logistic import row_blocks
from satc.inputs import Labels

Table = NDArray[np.float32]
Indices = NDArray[np.int64]
Pairs = tuple[Indices, Indices]  # rows and columns


class UniformSample:
    """A uniform sample of the rows of a long table that arrives in parts.

    Every row gets a random key, and the rows with the smallest keys are kept.

    Parameters
    ----------
    size : int
        Number of rows to keep.

    Examples
    --------
    >>> sample = UniformSample(size=10)
    >>> for part in range(5):
    ...     keys = np.random.default_rng(part).random(20)
    ...     wanted = sample.wanted(keys)
    ...     sample.add(keys[wanted], np.full((wanted.sum(), 1), part, dtype=np.float32))
    >>> sample.rows().shape, sample.share
    ((10, 1), 0.1)
    """

    def __init__(self, size: int) -> None:
        self._size = max(1, size)
        self._limit = np.inf
        self._keys: list[NDArray[np.float64]] = []
        self._parts: list[Table] = []
        self._n_seen = 0

    def wanted(self, keys: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which rows of the next part have keys that are small enough to be added."""
        self._n_seen += len(keys)
        return keys < self._limit

    def add(self, keys: NDArray[np.float64], part: Table) -> None:
        """Add the wanted rows."""
        self._keys.append(keys)
        self._parts.append(part)
        if sum(map(len, self._keys)) > 1.25 * self._size:
            self._shrink()

    def rows(self) -> Table:
        """Return the sampled rows."""
        self._shrink()
        return self._parts[0]

    @property
    def share(self) -> float:
        """The probability with which each row was kept."""
        return min(1.0, self._size / max(1, self._n_seen))

    def _shrink(self) -> None:
        """Remove the rows with the largest keys."""
        keys, rows = np.concatenate(self._keys), np.concatenate(self._parts)
        if len(keys) > self._size:
            kept = np.argpartition(keys, self._size)[: self._size]
            kept.sort()
            self._limit = float(np.partition(keys, self._size)[self._size])
            keys, rows = keys[kept], rows[kept]
        self._keys, self._parts = [keys], [rows]


def sample_pairs(shape: tuple[int, int], most: int, rng: np.random.Generator) -> Pairs:
    """Return all pairs, or `most` random ones if there are more."""
    size = shape[0] * shape[1]
    flat = np.arange(size) if size <= most else rng.integers(size, size=most)
    return np.divmod(flat, shape[1])


def sample_positives(labels: Labels, most: int, rng: np.random.Generator) -> Pairs:
    """Return all positive pairs, or about `most` random ones if there are more."""
    share = most / max(1, int(np.count_nonzero(labels)))
    rows, columns = [], []
    for block in row_blocks(*labels.shape):
        row, column = np.nonzero(labels[block])
        kept = rng.random(len(row)) < share
        rows.append(row[kept] + block.start)
        columns.append(column[kept])
    return np.concatenate(rows), np.concatenate(columns)
