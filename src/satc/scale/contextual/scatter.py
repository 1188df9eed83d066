"""Compiled loops that put the pairs of documents into a matrix, without the GIL."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def pairs_to_matrix(
    ends: Any, places: Any, scores: Any, n_classes: int, fill: float
) -> tuple[Array, Integers]:
    """Return scores, documents x classes, and how many classes of each document have a score.

    Document i has the pairs from ``ends[i]`` to ``ends[i + 1]``. A pair whose class is not known
    (place -1), or whose score is not finite, is left out. Of a repeated pair, the last one counts.

    >>> matrix, n = pairs_to_matrix(
    ...     np.array([0, 2, 3]), np.array([1, 0, -1]), np.array([0.5, np.nan, 2.0]), 2, -9.0
    ... )
    >>> matrix.tolist(), n.tolist()
    ([[-9.0, 0.5], [-9.0, -9.0]], [1, 0])
    """
    matrix = np.full((len(ends) - 1, n_classes), fill)
    n_stored = np.zeros(len(matrix), dtype=np.int64)
    _fill(
        np.asarray(ends, dtype=np.int64),
        _readable(places, np.int32),
        _readable(scores, np.float64 if np.asarray(scores).dtype != np.float32 else np.float32),
        matrix,
        n_stored,
    )
    return matrix, n_stored


def _readable(values: Any, kind: Any) -> Any:
    """Return an array that is read-only, as arrays of Arrow are: one type for the compiler."""
    view = np.ascontiguousarray(values, dtype=kind).view()
    view.flags.writeable = False
    return view


@njit(cache=True, nogil=True)
def _fill(ends: Integers, places: Any, scores: Any, matrix: Array, n_stored: Integers) -> None:
    last = np.full(matrix.shape[1], -1)  # the last document that has the class
    for i in range(len(matrix)):
        for k in range(ends[i], ends[i + 1]):
            j, score = places[k], scores[k]
            if j < 0 or not np.isfinite(score):
                continue
            matrix[i, j] = score
            if last[j] != i:
                last[j] = i
                n_stored[i] += 1


@njit(cache=True, nogil=True)
def replace_missing(matrix: Array, fill: float, flaws: Integers) -> None:
    """Replace numbers that are not finite, and count them for each document."""
    for i in range(len(matrix)):
        for j in range(matrix.shape[1]):
            if not np.isfinite(matrix[i, j]):
                matrix[i, j] = fill
                flaws[i] += 1
