"""Indexes that find the nearest training documents, by the cosine of the features.

`ExactIndex` compares a document with all training documents: with an inverted index for sparse
features, with matrix products for dense ones. For very many training documents two approximate
indexes find nearly the same neighbours. `TermIndex` looks up only the heaviest terms of a sparse
document, and compares the document in full with the candidates that it finds. `ClusterIndex`
compares a dense document with the training documents of the nearest clusters.
"""

from __future__ import annotations

from itertools import pairwise
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
_CANDIDATES = 100  # number of documents with the heaviest terms that are compared in full
_POSTINGS = 20_000  # occurrences of the terms of a document that are looked up, about
_TINY = np.float32(1e-30)
_PROBED = 16  # number of clusters that a document is compared with
_PROJECTED = 64  # dimensions of the space in which documents are clustered


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


def make_index(features: Any, *, exact: bool, random_state: int) -> Index:
    """Return the index for these (normalised) features."""
    if exact:
        return ExactIndex(features)
    return TermIndex(features) if is_sparse(features) else ClusterIndex(features, random_state)


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


class ExactIndex:
    """An index that compares a document with every training document."""

    def __init__(self, features: Any) -> None:
        self.sparse = is_sparse(features)
        self.columns = sparse.csc_array(features) if self.sparse else features
        self.n = features.shape[0]

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Sum products term by term if features are sparse, else multiply blocks."""
        if self.sparse:
            query, held = _as_rows(features), self.columns
            sums = np.zeros(self.n, dtype=np.float32)
            _search_sparse(*_parts(query), *_parts(held), sums, own, *found)
            return
        identities = np.arange(self.n, dtype=np.int32)
        for rows in _blocks(features.shape[0], self.n):
            product = _as_array(features[rows]) @ self.columns.T
            _keep_nearest(product, np.arange(rows.start, rows.stop), identities, own, *found)


class TermIndex:
    """An index that compares a document with the training documents that share its heavy terms."""

    def __init__(self, features: Any) -> None:
        self.rows = features
        self.columns = sparse.csc_array(features)

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Find candidates by the heaviest terms, then compare them in full."""
        query = _as_rows(features)
        sums = np.zeros(self.rows.shape[0], dtype=np.float32)
        dense = np.zeros(self.rows.shape[1], dtype=np.float32)
        touched = np.empty(self.rows.shape[0], dtype=np.int32)
        _search_heaviest(
            *_parts(query), *_parts(self.columns), *_parts(self.rows), sums, dense, touched,
            own, *found,
        )  # fmt: skip


class ClusterIndex:
    """An index that compares a document with the training documents in the nearest clusters."""

    def __init__(self, features: Any, random_state: int) -> None:
        from sklearn.cluster import MiniBatchKMeans
        from sklearn.random_projection import GaussianRandomProjection

        self.features = features
        n = features.shape[0]
        dimensions = min(_PROJECTED, features.shape[1])
        self.projection = GaussianRandomProjection(dimensions, random_state=random_state)
        projected = self.projection.fit_transform(features).astype(np.float32)
        self.means = MiniBatchKMeans(
            max(1, int(np.sqrt(n))),
            batch_size=4096,
            n_init=1,
            max_iter=20,
            random_state=random_state,
        ).fit(projected)
        order = np.argsort(self.means.labels_, kind="stable").astype(np.int32)
        bounds = np.searchsorted(
            self.means.labels_[order], np.arange(len(self.means.cluster_centers_) + 1)
        )
        self.members = [order[a:b] for a, b in pairwise(bounds)]

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Compare the documents of each cluster with the documents that are near it."""
        features = _as_array(features)
        probed = self._nearest_clusters(features)
        for cluster, members in enumerate(self.members):
            near = np.flatnonzero((probed == cluster).any(axis=1))
            if not len(members):
                continue
            held = self.features[members].T
            for rows in _blocks(len(near), len(members)):
                product = features[near[rows]] @ held
                _keep_nearest(product, near[rows], members, own, *found)

    def _nearest_clusters(self, features: Floats) -> Integers:
        """Return the nearest clusters of every document, documents x clusters."""
        n_clusters = len(self.members)
        probed = min(_PROBED, n_clusters)
        nearest = np.empty((len(features), probed), dtype=np.int32)
        for rows in _blocks(len(features), n_clusters):
            projected = self.projection.transform(features[rows]).astype(np.float32)
            distance = self.means.transform(projected)
            nearest[rows] = np.argpartition(distance, probed - 1, axis=1)[:, :probed]
        return nearest


def _blocks(n_rows: int, n_columns: int) -> list[slice]:
    size = max(1, _BLOCK_SIMILARITIES // n_columns)
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def _as_rows(features: Any) -> Any:
    return features if is_sparse(features) else sparse.csr_array(features)


def _as_array(features: Any) -> Floats:
    return np.asarray(features.toarray() if is_sparse(features) else features)


def _parts(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    return matrix.indptr, matrix.indices, matrix.data


@njit(cache=True)
def _insert(value: float, identity: int, similarity: Floats, neighbour: Integers) -> None:
    """Insert a training document into the nearest ones, which are in decreasing order."""
    position = len(similarity) - 1
    while position > 0 and similarity[position - 1] < value:
        similarity[position] = similarity[position - 1]
        neighbour[position] = neighbour[position - 1]
        position -= 1
    similarity[position] = value
    neighbour[position] = identity


@njit(cache=True)
def _keep_nearest(
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
                _insert(product[r, c], identities[c], similarity[row], neighbour[row])


@njit(cache=True)
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
                _insert(sums[document], document, similarity[row], neighbour[row])


@njit(cache=True)
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
                _insert(sums[document], document, partial, candidate)
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
                _insert(whole, candidate[k], similarity[row], neighbour[row])
        for t in range(first, end):
            dense[terms[t]] = 0.0
