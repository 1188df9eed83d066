"""The nearest training documents of documents, by the cosine of the features.

`ExactIndex` compares a document with all training documents. For very many training documents two
approximate indexes find nearly the same neighbours: `TermIndex` for sparse features, and
`ClusterIndex` for dense ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.similarity.clusters import ClusterIndex
from satc.calibration.similarity.exact import ExactIndex
from satc.calibration.similarity.features import is_sparse
from satc.calibration.similarity.selection import Index, Indices, Nearest
from satc.calibration.similarity.terms import TermIndex

_TINY = np.float32(1e-30)


def make_index(features: Any, *, exact: bool, random_state: int, k: int = 20) -> Index:
    """Return the index for these (normalised) features, for the search of k neighbours."""
    if exact:
        return ExactIndex(features)
    return TermIndex(features) if is_sparse(features) else ClusterIndex(features, random_state, k)


def nearest(index: Index, features: Any, own: Indices, k: int) -> Nearest:
    """Return the k nearest training documents of some documents."""
    shape = features.shape[0], k
    found = Nearest(np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.float32))
    index.search(features, own, found)
    return found


def vote_weights(found: Nearest, n_training: int, sharpness: float = 1.0) -> Any:
    """Return weights of votes, documents x training documents; each row sums to 1 or 0.

    The weight of a neighbour is proportional to similarity ** sharpness.
    """
    weight: NDArray[np.floating[Any]] = found.similarity
    if sharpness != 1.0:  # relative to the nearest one, so that small numbers do not vanish
        weight = (weight / np.maximum(weight[:, :1], _TINY)) ** np.float32(sharpness)
    total = weight.sum(axis=1, keepdims=True)
    weight = weight / np.where(total > 0, total, 1.0)
    starts = np.arange(len(weight) + 1) * weight.shape[1]
    entries = (weight.ravel(), found.neighbour.ravel(), starts)
    return sparse.csr_array(entries, shape=(len(weight), n_training))
