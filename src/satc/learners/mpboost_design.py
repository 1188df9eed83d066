"""The data structure for boosting: the terms of documents and the documents of terms.

Terms that occur in the same documents are equivalent. They are stored as one term with the lowest
of their indices, because the lowest index wins ties. Frequent terms come first, so that the sums
that change most are close together in memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


class Design(NamedTuple):
    """The terms of every document, and the documents of every term.

    ``terms[term_start[i] : term_start[i + 1]]`` are the terms of document ``i``.
    ``rows[row_start[t] : row_start[t + 1]]`` are the documents with term ``t`` or, where
    ``inverted[t]``, those without it, whichever are fewer. ``column[t]`` is its lowest column.
    """

    term_start: NDArray[np.int64]
    terms: NDArray[np.uint32]
    row_start: NDArray[np.int64]
    rows: NDArray[np.uint32]
    inverted: NDArray[np.bool_]
    column: NDArray[np.int64]


def presence(X: Any) -> sp.csr_array:
    """Return documents x terms, 1.0 where the value is not zero.

    >>> presence(np.array([[0.0, -2.5], [3.0, 0.0]])).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    values = sp.csr_array(X)
    if not values.has_canonical_format:
        values = values.copy()
        values.sum_duplicates()
    kept = values.data != 0
    starts = np.concatenate([[0], np.cumsum(kept)])[values.indptr]
    return sp.csr_array((np.ones(starts[-1]), values.indices[kept], starts), shape=values.shape)


def make_design(present: sp.csr_array) -> Design:
    """Return the data structure of a presence matrix."""
    columns = sp.csc_array(present)
    columns.sort_indices()
    frequency = np.diff(columns.indptr)
    column = _distinct(columns)
    column = column[np.argsort(-frequency[column], kind="stable")]
    columns = columns[:, column]
    inverted = frequency[column] * 2 > present.shape[0]
    # the most frequent terms come first, so the inverted lists precede the others
    split = int(inverted.sum())
    absent = sp.csc_array(columns[:, :split].toarray() == 0)
    lists = sp.hstack([absent, columns[:, split:]], format="csc")
    by_document = sp.csr_array(columns)
    by_document.sort_indices()
    return Design(
        term_start=by_document.indptr.astype(np.int64),
        terms=by_document.indices.astype(np.uint32),
        row_start=lists.indptr.astype(np.int64),
        rows=lists.indices.astype(np.uint32),
        inverted=inverted,
        column=column.astype(np.int64),
    )


def read_only(design: Design) -> Design:
    """Return read-only views, as in the processes of joblib, so that numba compiles one type."""
    views = [array.view(np.ndarray) for array in design]
    for view in views:
        view.setflags(write=False)
    return Design(*views)


def _distinct(columns: sp.csc_array) -> NDArray[np.int64]:
    """Return the lowest index of each set of equal columns."""
    keys = np.random.default_rng(0).integers(2**64, size=columns.shape[0], dtype=np.uint64)
    hashes = columns.T.astype(np.uint64) @ keys
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    merged = columns[:, first[inverse]]
    collision = not (
        np.array_equal(merged.indptr, columns.indptr)
        and np.array_equal(merged.indices, columns.indices)
    )
    # merging only saves time, so a collision of hashes costs no more than this time
    return np.arange(columns.shape[1]) if collision else first
