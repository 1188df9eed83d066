"""Matrices of numbers as columns of bytes: one row for each document, 8 bytes for each number.

Engines copy bytes without looking at them, which is faster than lists of numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Array = NDArray[np.float64]


def as_bytes(matrix: Array) -> pa.Array:
    """Return a column of bytes, one row of the matrix in each.

    >>> numbers_of(as_bytes(np.array([[1.0, 2.0], [3.0, 4.0]])), 2).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    n, m = matrix.shape
    ends = np.arange(n + 1, dtype=np.int32) * np.int32(8 * m)
    data = np.ascontiguousarray(matrix, dtype=np.float64)
    return pa.Array.from_buffers(pa.binary(), n, [None, pa.py_buffer(ends), pa.py_buffer(data)])


def numbers_of(column: Any, width: int) -> Array:
    """Return the matrix of a column of bytes; it is read-only."""
    if pa.types.is_large_binary(column.type):
        column = column.cast(pa.binary())
    if not len(column):
        return np.empty((0, width))
    _, ends, data = column.buffers()
    first = int(np.frombuffer(ends, dtype=np.int32)[column.offset])
    numbers = np.frombuffer(data, dtype=np.uint8)[first : first + len(column) * width * 8]
    return numbers.view(np.float64).reshape(len(column), width)
