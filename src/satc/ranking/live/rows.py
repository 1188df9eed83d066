"""Rows of integers that are added and removed at the end, or filtered."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


class GrowingRows:
    """A list of rows of integers, all of the same width.

    >>> rows = GrowingRows(2)
    >>> rows.extend([(7, 1), (8, 0), (9, 0)])
    >>> rows.cut(2)
    >>> rows.keep(rows.as_array()[:, 0] != 7)
    >>> rows.as_array()
    array([[8, 0]])
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._values = array("q")

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._values) // self._width

    def extend(self, rows: Sequence[tuple[int, ...]] | Rows) -> None:
        """Add rows at the end."""
        self._values.frombytes(np.array(rows, dtype=np.int64).tobytes())

    def as_array(self, start: int = 0) -> Rows:
        """Return a copy of the rows from `start` on."""
        values = np.array(self._values, dtype=np.int64)
        return values.reshape(-1, self._width)[start:]

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Remove the other rows; `kept` has one entry for each row."""
        self._values = array("q", self.as_array()[kept].tobytes())

    def cut(self, n: int) -> None:
        """Remove all rows after the first n."""
        del self._values[n * self._width :]
