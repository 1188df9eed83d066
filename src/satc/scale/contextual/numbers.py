"""Matrices of numbers as columns of bytes: one row for each document, 8 bytes for each number.

Engines copy bytes without looking at them, which is faster than lists of numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Array = NDArray[np.float64]


def cut_bytes(values: NDArray[Any], ends: Any) -> pa.Array:
    """Return a column of bytes, whose row i has the values that end before `ends[i]`.

    >>> cut_bytes(np.frombuffer(b"abc", dtype=np.uint8), [2, 3]).to_pylist()
    [b'ab', b'c']
    """
    places = np.concatenate([[0], ends]).astype(np.int32) * np.int32(values.itemsize)
    buffers = [None, pa.py_buffer(places), pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(pa.binary(), len(ends), buffers)


def bytes_of(column: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return all bytes of a column one after the other, and where each row starts and ends.

    >>> data, ends = bytes_of(pa.array([b"ab", b"c"]))
    >>> bytes(data), ends.tolist()
    (b'abc', [0, 2, 3])
    """
    if pa.types.is_large_binary(column.type):
        column = column.cast(pa.binary())
    if not len(column):
        return np.empty(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    _, places, data = column.buffers()
    ends = np.frombuffer(places, dtype=np.int32)[column.offset :][: len(column) + 1]
    found = np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]]
    return found, ends.astype(np.int64) - ends[0]


def as_bytes(matrix: Array) -> pa.Array:
    """Return a column of bytes, one row of the matrix in each.

    >>> numbers_of(as_bytes(np.array([[1.0, 2.0], [3.0, 4.0]])), 2).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    n, m = matrix.shape
    data = np.ascontiguousarray(matrix, dtype=np.float64)
    return cut_bytes(data, np.arange(m, n * m + m, m))


def numbers_of(column: Any, width: int) -> Array:
    """Return the matrix of a column of bytes; it is read-only."""
    data, _ = bytes_of(column)
    return data.view(np.float64).reshape(len(column), width)
