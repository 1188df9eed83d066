"""Tiles: the error probabilities of blocks of documents, class by class.

The dynamic ranking sorts documents by their first utility and cuts them into blocks. A tile holds
the signed error probabilities of a block, classes x documents: P(error), positive where the
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


class Tiles(NamedTuple):
    """The tiles of all blocks."""

    rounded: Rounded  # blocks x classes x documents, in multiples of the unit
    largest: Array  # 2 x classes x blocks: the largest P(FP) and P(FN) of each block
    unit: float


def make_tiles(columns: Misclassification, order: Indices) -> Tiles:
    """Return the tiles of documents in this order; the last one is filled up with zeros."""
    n_blocks, n_classes = -(-len(order) // BLOCK), columns.shape[1]
    unit = 2.0 ** math.floor(math.log2(columns.largest)) if columns.largest > 0 else 1.0
    tiles = Tiles(
        np.empty((n_blocks, n_classes, BLOCK), dtype=np.float32),
        np.empty((2, n_classes, n_blocks)),
        unit,
    )

    def make(first: int) -> None:
        for b in range(first, min(first + _AT_ONCE, n_blocks)):
            signed = columns.signed_rows(order[b * BLOCK : (b + 1) * BLOCK])
            _fill(signed, tiles.unit, tiles.rounded[b], tiles.largest[:, :, b])

    in_threads(make, range(0, n_blocks, _AT_ONCE))
    return tiles


@njit(cache=True, nogil=True)
def _fill(signed: Array, unit: float, tile: Rounded, largest: Array) -> None:
    """Write one tile, and the largest P(FP) and P(FN) of its rounded probabilities.

    Sixteen documents at a time, because sixteen numbers of a tile fill a line of the cache.
    """
    n, m = signed.shape
    of_unit = 1.0 / unit
    largest[:] = 0.0
    for first in range(0, n, 16):
        for j in range(m):
            fp = fn = np.float32(0.0)
            for k in range(first, min(first + 16, n)):
                p = signed[k, j] * of_unit
                tile[j, k] = p if abs(p) >= _SMALLEST else 0.0
                fp, fn = max(fp, tile[j, k]), min(fn, tile[j, k])
            largest[0, j] = max(largest[0, j], fp * unit)
            largest[1, j] = max(largest[1, j], -fn * unit)
    tile[:, n:] = 0.0
