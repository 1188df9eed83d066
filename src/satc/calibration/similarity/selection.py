"""The k best of many similarities: what all indexes of neighbours share."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.similarity.features import is_sparse

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]
Integers = NDArray[np.int32]

_BLOCK_SIMILARITIES = 1 << 22


class Nearest(NamedTuple):
    """The nearest training documents of some documents, documents x k, the nearest first."""

    neighbour: Integers
    similarity: Floats  # 0 where there is no such neighbour

    def of(self, rows: slice) -> Nearest:
        """Return the neighbours of some of the documents."""
        return Nearest(self.neighbour[rows], self.similarity[rows])


class Index(Protocol):
    """Interface of an index of training documents."""

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Write the nearest training documents to `found`.

        `own` is the position of each document in the training set, or -1; a document is never its
        own neighbour.
        """


def blocks(n_rows: int, n_columns: int) -> list[slice]:
    """Return slices of rows whose similarities to all columns fit into a block."""
    size = max(1, _BLOCK_SIMILARITIES // n_columns)
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def as_rows(features: Any) -> Any:
    """Return features as a sparse array of rows."""
    return features if is_sparse(features) else sparse.csr_array(features)


def as_array(features: Any) -> Floats:
    """Return features as a dense array."""
    return np.asarray(features.toarray() if is_sparse(features) else features)


def parts(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """Return the three arrays of a sparse matrix."""
    return matrix.indptr, matrix.indices, matrix.data


def parts_of(matrix: Any, rows: slice) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """Return the three arrays of some rows of a sparse matrix; nothing is copied.

    The starts of the rows are still places in all indices and values.
    """
    return matrix.indptr[rows.start : rows.stop + 1], matrix.indices, matrix.data


@njit(cache=True, nogil=True)
def insert(value: float, identity: int, similarity: Floats, neighbour: Integers) -> None:
    """Insert a training document into the nearest ones, which are in decreasing order."""
    position = len(similarity) - 1
    while position > 0 and similarity[position - 1] < value:
        similarity[position] = similarity[position - 1]
        neighbour[position] = neighbour[position - 1]
        position -= 1
    similarity[position] = value
    neighbour[position] = identity


@njit(cache=True, nogil=True)
def keep_nearest(
    product: Floats,
    rows: Indices,
    identities: Integers,
    own: Indices,
    neighbour: Integers,
    similarity: Floats,
) -> None:
    """Update the nearest documents of some rows with the similarities in `product`."""
    last = similarity.shape[1] - 1
    for r in range(len(rows)):
        row = rows[r]
        for c in range(len(identities)):
            if product[r, c] > similarity[row, last] and identities[c] != own[row]:
                insert(product[r, c], identities[c], similarity[row], neighbour[row])
