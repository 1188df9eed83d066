"""Expected cells of the classes, as sums that do not depend on the order of their terms.

Threads and workers add the documents in any order. So probabilities are rounded to multiples of
2**-42, and the multiples are added as integers: the same pairs have the same tables, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.inputs import Labels

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_UNITS = 2.0**42  # of a probability of 1; a block has at most 2**20 documents

# Rows of the sums: expected positives with the label, and without; labels; documents.
_WITH, _WITHOUT, _LABELS, _DOCUMENTS = range(4)


def cell_sums(probability: Array, labels: Labels) -> Integers:
    """Return the sums over a block of documents, 4 x classes."""
    sums = np.zeros((4, probability.shape[1]), dtype=np.int64)
    _add(probability, labels, sums)
    sums[_DOCUMENTS] = len(probability)
    return sums


def tables_of(parts: Iterable[Integers]) -> ContingencyTables:
    """Return the expected tables of the classes, from the sums of all blocks.

    >>> block = cell_sums(np.array([[0.75], [0.25]]), np.array([[True], [False]]))
    >>> [float(cell[0]) for cell in tables_of([block, block])]
    [1.5, 0.5, 0.5, 1.5]
    """
    total: Any = sum(part.astype(object) for part in parts)  # integers of any size
    positive, missed = (_number(total[row]) / _UNITS for row in (_WITH, _WITHOUT))
    n_labels, n = _number(total[_LABELS]), _number(total[_DOCUMENTS])
    return ContingencyTables(positive, n_labels - positive, missed, n - n_labels - missed)


def _number(integers: Any) -> Array:
    return np.asarray(integers, dtype=np.float64)


@njit(cache=True, nogil=True)
def _add(probability: Array, labels: Labels, sums: Integers) -> None:
    for i in range(len(probability)):
        for j in range(probability.shape[1]):
            units = np.int64(probability[i, j] * _UNITS + 0.5)
            label = labels[i, j]
            sums[_LABELS, j] += label
            sums[_WITH, j] += units if label else 0
            sums[_WITHOUT, j] += 0 if label else units
