"""Tiles: the error probabilities of blocks of documents, class by class.

The dynamic ranking sorts documents by their utility and cuts them into blocks. A tile holds the
signed error probabilities of a block, classes x documents: P(error), positive where the
document was decided positive (the error would be an FP), negative where it was decided negative (an
FN). They are divided by a power of two and rounded to 32 bits, because the loops over them are as
fast as memory is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.machine.threads import in_threads
from satc.ranking.misclassification import Misclassification

Array = NDArray[np.float64]
Rounded = NDArray[np.float32]
Indices = NDArray[np.int64]

# Documents in a block.
BLOCK = 256
# Rounding changes a probability by at most this share.
ROUNDED = 2.0**-24
# Smaller numbers are 0 in a tile: processors are slow with them.
_SMALLEST = 2.0**-126
# Blocks that a thread makes at once.
_AT_ONCE = 32
# Classes that a thread sorts at once.
_CLASSES_AT_ONCE = 8


class Tiles(NamedTuple):
    """The tiles of all blocks.

    There is place for an odd number of blocks. With a power of two, the rows of a tile would have
    to share few places of the cache.
    """

    rounded: Rounded  # classes x blocks x documents, in multiples of the unit
    largest: Array  # 2 x classes x blocks: the largest P(FP) and P(FN) of each block
    unit: float


def make_tiles(columns: Misclassification) -> Tiles:
    """Return the tiles of documents as they come; the last one is filled up with zeros."""
    n_blocks, n_classes = -(-columns.shape[0] // BLOCK), columns.shape[1]
    unit = 2.0 ** math.floor(math.log2(columns.largest)) if columns.largest > 0 else 1.0
    tiles = Tiles(
        np.empty((n_classes, n_blocks | 1, BLOCK), dtype=np.float32),
        np.empty((2, n_classes, n_blocks)),
        unit,
    )

    def make(first: int) -> None:
        for b in range(first, min(first + _AT_ONCE, n_blocks)):
            signed = columns.signed_rows(slice(b * BLOCK, (b + 1) * BLOCK))
            _fill(signed, tiles.unit, tiles.rounded, tiles.largest, b)

    in_threads(make, range(0, n_blocks, _AT_ONCE))
    return tiles


def sort_tiles(rounded: Rounded, unit: float, positions: Indices) -> Tiles:
    """Return the tiles of the documents at these positions of other tiles, in this order.

    They take the place of the others in memory.
    """
    n_blocks, n_classes = -(-len(positions) // BLOCK), len(rounded)
    largest = np.empty((2, n_classes, n_blocks))

    def sort(first: int) -> None:
        last = min(first + _CLASSES_AT_ONCE, n_classes)
        _sort(rounded, unit, positions, largest, first, last)

    in_threads(sort, range(0, n_classes, _CLASSES_AT_ONCE))
    return Tiles(rounded, largest, unit)


@njit(cache=True, nogil=True)
def _sort(
    tiles: Rounded, unit: float, positions: Indices, largest: Array, first: int, last: int
) -> None:
    """Sort the tiles of some classes; write the largest P(FP) and P(FN) of each block."""
    n = len(positions)
    for j in range(first, last):
        before = tiles[j].copy().ravel()
        for b in range(largest.shape[2]):
            fp = fn = np.float32(0.0)
            size = min(BLOCK, n - b * BLOCK)
            for k in range(size):
                p = before[positions[b * BLOCK + k]]
                tiles[j, b, k] = p
                fp, fn = max(fp, p), min(fn, p)
            tiles[j, b, size:] = 0.0
            largest[0, j, b], largest[1, j, b] = fp * unit, -fn * unit


@njit(cache=True, nogil=True)
def _fill(signed: Array, unit: float, tiles: Rounded, largest: Array, b: int) -> None:
    """Write the tile of a block, and the largest P(FP) and P(FN) of its rounded probabilities.

    Sixteen documents at a time, because sixteen numbers of a tile fill a line of the cache.
    """
    n, m = signed.shape
    of_unit = 1.0 / unit
    tile = tiles[:, b]
    largest[:, :, b] = 0.0
    for first in range(0, n, 16):
        for j in range(m):
            fp = fn = np.float32(0.0)
            for k in range(first, min(first + 16, n)):
                p = signed[k, j] * of_unit
                tile[j, k] = p if abs(p) >= _SMALLEST else 0.0
                fp, fn = max(fp, tile[j, k]), min(fn, tile[j, k])
            largest[0, j, b] = max(largest[0, j, b], fp * unit)
            largest[1, j, b] = max(largest[1, j, b], -fn * unit)
    tile[:, n:] = 0.0
