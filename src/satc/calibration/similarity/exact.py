"""The exact index: a document is compared with every training document.

Sparse features are looked up in an inverted index, dense ones are multiplied in blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.similarity.features import is_sparse
from satc.calibration.similarity.selection import (
    Indices,
    Nearest,
    as_array,
    as_rows,
    blocks,
    insert,
    keep_nearest,
    parts,
    parts_of,
)
from satc.machine.threads import in_threads

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]


class ExactIndex:
    """An index that compares a document with every training document."""

    def __init__(self, features: Any) -> None:
        self.sparse = is_sparse(features)
        self.columns = sparse.csc_array(features) if self.sparse else features
        self.n = features.shape[0]

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Sum products term by term if features are sparse, else multiply blocks."""
        find = self._find_sparse if self.sparse else self._find_dense
        query = as_rows(features) if self.sparse else features

        def find_rows(rows: slice) -> None:
            find(query, rows, own, found)

        in_threads(find_rows, blocks(features.shape[0], self.n))

    def _find_sparse(self, features: Any, rows: slice, own: Indices, found: Nearest) -> None:
        sums = np.zeros(self.n, dtype=np.float32)
        near = found.of(rows)
        _search_sparse(*parts_of(features, rows), *parts(self.columns), sums, own[rows], *near)

    def _find_dense(self, features: Any, rows: slice, own: Indices, found: Nearest) -> None:
        identities = np.arange(self.n, dtype=np.int32)
        product = as_array(features[rows]) @ self.columns.T
        keep_nearest(product, np.arange(rows.start, rows.stop), identities, own, *found)


@njit(cache=True, nogil=True)
def _search_sparse(
    starts: Integers,
    terms: Integers,
    weights: Floats,
    held_starts: Integers,
    held_documents: Integers,
    held_weights: Floats,
    sums: Floats,
    own: Indices,
    neighbour: Integers,
    similarity: Floats,
) -> None:
    """Sum the products of the terms of each document, and keep the nearest documents."""
    last = similarity.shape[1] - 1
    for row in range(len(own)):
        sums[:] = 0.0
        for t in range(starts[row], starts[row + 1]):
            weight = weights[t]
            for p in range(held_starts[terms[t]], held_starts[terms[t] + 1]):
                sums[held_documents[p]] += weight * held_weights[p]
        if own[row] >= 0:
            sums[own[row]] = 0.0
        for document in range(len(sums)):
            if sums[document] > similarity[row, last]:
                insert(sums[document], document, similarity[row], neighbour[row])
