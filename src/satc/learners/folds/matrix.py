"""The features of the training documents, stored once for all folds.

The weight of a term depends on the training documents of a fold, through ln(N/df). But the matrix
of a fold is always the same matrix with other factors of its rows and columns: if l is the factor
of a document and a term that all folds share, and a the factor of the term in a fold, then the
features of the document there are ``l a / |l a|``. So only l, a and the lengths |l a| are stored.

Lane 0 stands for all training documents, and each of the others for a fold. Terms are sorted by
their frequency, so that the frequent ones are close to each other in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.learners.folds.lanes import N_LANES, zeros

Floats = NDArray[np.float32]
FOLDS_AT_ONCE = N_LANES - 1


class FoldMatrix(NamedTuple):
    """Features of documents in several lanes, for compiled code.

    Attributes
    ----------
    values, terms, starts
        The factors l, row by row, their columns, and where each row begins.
    squares
        Squares of the factors a, terms x lanes.
    scales
        1 / length of the documents, documents x lanes; 0 for documents without features.
    steps
        The step length 1 / (1 + squared length of the features), documents x lanes.
    costs
        The largest multiplier, documents x lanes; 0 if a document is not in the training part.
    held_out
        The lane in which a document is not in the training part; 0 if there is none.
    n_lanes
        The number of lanes that are used.
    """

    values: Floats
    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    squares: Floats
    scales: Floats
    steps: Floats
    costs: Floats
    held_out: NDArray[np.int64]
    n_lanes: int


class Shared(NamedTuple):
    """The part of the matrix that all groups of folds share, and the order of the terms."""

    values: Floats
    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    order: NDArray[np.int64]


def share(factors: sparse.csr_matrix) -> Shared:
    """Return the factors l with terms by falling frequency."""
    order = np.argsort(-factors.getnnz(axis=0), kind="stable")
    position = np.empty(len(order), dtype=np.uint32)
    position[order] = np.arange(len(order), dtype=np.uint32)
    values = factors.data.astype(np.float32)
    return Shared(values, position[factors.indices], factors.indptr.astype(np.int64), order)


def fold_matrix(
    shared: Shared,
    term_factors: NDArray[np.float64],
    trained: Sequence[NDArray[np.int64]],
    held_out: Sequence[NDArray[np.int64]],
    cost: float,
) -> FoldMatrix:
    """Return the matrix of some folds.

    Parameters
    ----------
    shared
        The factors of documents and terms.
    term_factors
        The factors a, lanes x terms: first those of all documents, then those of the folds.
    trained, held_out
        Rows of the training and the test documents of each of these lanes.
    cost
        The largest multiplier.
    """
    n, n_lanes = len(shared.starts) - 1, len(term_factors)
    squares, scales, steps, costs = (zeros(rows) for rows in (len(shared.order), n, n, n))
    squares[:, :n_lanes] = (term_factors[:, shared.order] ** 2).T
    lengths = _squared(shared) @ squares
    scales[lengths > 0] = 1.0 / np.sqrt(lengths[lengths > 0])
    steps[:] = np.where(lengths > 0, 0.5, 1.0)  # the intercept adds 1 to the squared length
    lane_of = np.zeros(n, dtype=np.int64)
    for lane, (inside, outside) in enumerate(zip(trained, held_out, strict=True)):
        costs[inside, lane] = cost
        lane_of[outside] = lane
    first = (shared.values, shared.terms, shared.starts)
    return FoldMatrix(*first, squares, scales, steps, costs, lane_of, n_lanes)


def _squared(shared: Shared) -> sparse.csr_matrix:
    """Return the squared factors of documents and terms."""
    shape = len(shared.starts) - 1, len(shared.order)
    return sparse.csr_matrix((shared.values**2, shared.terms, shared.starts), shape=shape)
