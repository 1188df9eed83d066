"""The approximate index of sparse features: documents that share the heaviest terms.

The heaviest terms of a document are looked up, and the document is compared in full with the
candidates that they give.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.similarity.selection import (
    Indices,
    Nearest,
    as_rows,
    insert,
    parts,
    parts_of,
)
from satc.machine.threads import in_threads

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]

_CANDIDATES = 100  # number of documents with the heaviest terms that are compared in full
_ROWS = 1 << 11  # documents for which a thread makes its workspace once
_POSTINGS = 20_000  # occurrences of the terms of a document that are looked up, about


class TermIndex:
    """An index that compares a document with the training documents that share its heavy terms."""

    def __init__(self, features: Any) -> None:
        self.rows = features
        self.columns = sparse.csc_array(features)

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Find candidates by the heaviest terms, then compare them in full."""
        query = as_rows(features)

        def find(rows: slice) -> None:
            n_train, n_features = self.rows.shape
            sums = np.zeros(n_train, dtype=np.float32)
            dense = np.zeros(n_features, dtype=np.float32)
            touched = np.empty(n_train, dtype=np.int32)
            _search_heaviest(
                *parts_of(query, rows), *parts(self.columns), *parts(self.rows), sums, dense,
                touched, own[rows], *found.of(rows),
            )  # fmt: skip

        starts = range(0, query.shape[0], _ROWS)
        in_threads(find, [slice(k, min(k + _ROWS, query.shape[0])) for k in starts])


@njit(cache=True, nogil=True)
def _search_heaviest(
    starts: Integers,
    terms: Integers,
    weights: Floats,
    column_starts: Integers,
    column_documents: Integers,
    column_weights: Floats,
    row_starts: Integers,
    row_terms: Integers,
    row_weights: Floats,
    sums: Floats,
    dense: Floats,
    touched: Integers,
    own: Indices,
    neighbour: Integers,
    similarity: Floats,
) -> None:
    """Look up the heaviest terms of each document, and compare it in full with the candidates.

    `sums`, `dense` and `touched` are workspace; `sums` and `dense` are zero before and after.
    """
    last = similarity.shape[1] - 1
    candidate = np.zeros(_CANDIDATES, dtype=np.int32)
    partial = np.zeros(_CANDIDATES, dtype=np.float32)
    for row in range(len(own)):
        first, end = starts[row], starts[row + 1]
        n_touched = n_looked_up = 0
        for t in np.argsort(-weights[first:end]):
            term, weight = terms[first + t], weights[first + t]
            low, high = column_starts[term], column_starts[term + 1]
            if n_looked_up + high - low > _POSTINGS and n_touched >= _CANDIDATES:
                break
            n_looked_up += high - low
            for p in range(low, high):
                document = column_documents[p]
                if sums[document] == 0.0:
                    touched[n_touched] = document
                    n_touched += 1
                sums[document] += weight * column_weights[p]
        partial[:] = 0.0
        for k in range(n_touched):
            document = touched[k]
            if sums[document] > partial[-1] and document != own[row]:
                insert(sums[document], document, partial, candidate)
            sums[document] = 0.0
        for t in range(first, end):
            dense[terms[t]] = weights[t]
        for k in range(_CANDIDATES):
            if partial[k] == 0.0:
                break
            whole = np.float32(0.0)
            for t in range(row_starts[candidate[k]], row_starts[candidate[k] + 1]):
                whole += dense[row_terms[t]] * row_weights[t]
            if whole > similarity[row, last]:
                insert(whole, candidate[k], similarity[row], neighbour[row])
        for t in range(first, end):
            dense[terms[t]] = 0.0
