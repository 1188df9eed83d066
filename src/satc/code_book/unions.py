"""Counts that roll up a hierarchy: a document counts for a class and for all classes above it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.code_book.hierarchy import Hierarchy
from satc.inputs import Labels

Array = NDArray[np.float64]
_MOST = 1.0 - 1e-12  # probabilities are at most this, so that their logarithms are finite


def unions(labels: Any, hierarchy: Hierarchy) -> Labels:
    """Return which documents have a class or one below it, documents x nodes.

    `labels` may have fewer columns than the hierarchy has nodes: the others are no classes.

    >>> unions(np.array([[True, False], [False, False]]), Hierarchy([[2], [2], []])).tolist()
    [[True, False, True], [False, False, False]]
    """
    given = np.asarray(labels, dtype=bool)
    missing = len(hierarchy) - given.shape[1]
    return hierarchy.close(np.pad(given, ((0, 0), (0, missing))))


def union_probabilities(
    probability: Any, hierarchy: Hierarchy, *, closed: bool = False, exclusive: bool = False
) -> Array:
    """Return P(document has a class or one below it), documents x nodes.

    Parameters
    ----------
    probability : array of shape (n_documents, n_classes)
        P(document belongs to class).
    closed
        Whether a label implies its ancestors, so that a class is as probable as its union.
    exclusive
        Whether a document has exactly one label, so that probabilities add up. Otherwise labels
        count as independent.
    """
    p = np.asarray(probability, dtype=np.float64)
    below = _members(hierarchy, p.shape[1], closed)
    if exclusive:
        return np.asarray(np.minimum(p @ below, 1.0))
    return np.asarray(-np.expm1(np.log1p(-np.minimum(p, _MOST)) @ below))


def _members(hierarchy: Hierarchy, n_classes: int, closed: bool) -> Any:
    """Return which classes make up which node, classes x nodes, as a sparse 0/1 matrix."""
    rows, columns = [], []
    for node in range(len(hierarchy)):
        inside = [j for j in (node, *hierarchy.descendants(node)) if j < n_classes]
        if closed:
            inside = list(hierarchy.without_ancestors(inside))
        rows += inside
        columns += [node] * len(inside)
    shape = (n_classes, len(hierarchy))
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
