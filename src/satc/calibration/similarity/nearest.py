"""The nearest training documents of a document, by the cosine of their features.

`Everything` compares all of them: an inverted index for sparse features, products of blocks for
dense ones. For very many training documents two shortcuts find nearly the same neighbours:
`HeaviestTerms` follows the heaviest terms of a sparse document only, and compares in full the
documents that these find; `Clusters` compares a dense document with the nearest clusters.
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
_CANDIDATES = 100  # documents found by the heaviest terms that are compared in full
_POSTINGS = 20_000  # occurrences of a document's terms that are followed, about
_PROBED = 16  # clusters that a document is compared with
_PROJECTED = 64  # dimensions in which clusters are made


class Nearest(NamedTuple):
    """The nearest training documents of some documents, documents x k, the nearest first."""

    neighbour: Integers
    similarity: Floats  # 0 where there is no such neighbour

    def of(self, rows: slice) -> Nearest:
        """Return those of some of the documents."""
        return Nearest(self.neighbour[rows], self.similarity[rows])


class Index(Protocol):
    """What finds the nearest training documents."""

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Fill in what is found; a document that is itself in training (`own`) is left out."""


def make_index(features: Any, *, exact: bool, random_state: int) -> Index:
    """Return the index that suits these (normalised) features."""
    if exact:
        return Everything(features)
    return HeaviestTerms(features) if is_sparse(features) else Clusters(features, random_state)


def nearest(index: Index, features: Any, own: Indices, k: int) -> Nearest:
    """Return the k nearest training documents of some documents."""
    shape = features.shape[0], k
    found = Nearest(np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.float32))
    index.search(features, own, found)
    return found


class Everything:
    """Every training document is compared."""

    def __init__(self, features: Any) -> None:
        self.sparse = is_sparse(features)
        self.columns = sparse.csc_array(features) if self.sparse else features
        self.n = features.shape[0]

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Add up products term by term, or multiply blocks."""
        if self.sparse:
            query, held = _as_rows(features), self.columns
            room = np.zeros(self.n, dtype=np.float32)
            _search_sparse(*_parts(query), *_parts(held), room, own, *found)
            return
        everyone = np.arange(self.n, dtype=np.int32)
        for rows in _blocks(features.shape[0], self.n):
            product = _as_array(features[rows]) @ self.columns.T
            _keep_nearest(product, np.arange(rows.start, rows.stop), everyone, own, *found)


class HeaviestTerms:
    """Only documents that share a heavy term are looked for, and the best of them compared."""

    def __init__(self, features: Any) -> None:
        self.rows = features
        self.columns = sparse.csc_array(features)

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Follow the heaviest terms, then compare the candidates in full."""
        query = _as_rows(features)
        room = np.zeros(self.rows.shape[0], dtype=np.float32)
        spread = np.zeros(self.rows.shape[1], dtype=np.float32)
        touched = np.empty(self.rows.shape[0], dtype=np.int32)
        _search_heaviest(
            *_parts(query), *_parts(self.columns), *_parts(self.rows), room, spread, touched,
            own, *found,
        )  # fmt: skip


class Clusters:
    """Training documents in clusters; only the clusters nearest to a document are compared."""

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
        """Compare the documents of each cluster with those that are near it."""
        features = _as_array(features)
        probed = self._probed(features)
        for cluster, members in enumerate(self.members):
            near = np.flatnonzero((probed == cluster).any(axis=1))
            if not len(members):
                continue
            held = self.features[members].T
            for rows in _blocks(len(near), len(members)):
                product = features[near[rows]] @ held
                _keep_nearest(product, near[rows], members, own, *found)

    def _probed(self, features: Floats) -> Integers:
        """Return the nearest clusters of every document."""
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
    """Put one training document among the nearest, which are kept in falling order."""
    place = len(similarity) - 1
    while place > 0 and similarity[place - 1] < value:
        similarity[place] = similarity[place - 1]
        neighbour[place] = neighbour[place - 1]
        place -= 1
    similarity[place] = value
    neighbour[place] = identity


@njit(cache=True)
def _keep_nearest(
    product: Floats,
    rows: Indices,
    identities: Integers,
    own: Indices,
    neighbour: Integers,
    similarity: Floats,
) -> None:
    """Go through the similarities of some rows with some training documents."""
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
    room: Floats,
    own: Indices,
    neighbour: Integers,
    similarity: Floats,
) -> None:
    """Add up the products of each document's terms, and keep the nearest documents."""
    last = similarity.shape[1] - 1
    for row in range(len(own)):
        room[:] = 0.0
        for t in range(starts[row], starts[row + 1]):
            weight = weights[t]
            for p in range(held_starts[terms[t]], held_starts[terms[t] + 1]):
                room[held_documents[p]] += weight * held_weights[p]
        if own[row] >= 0:
            room[own[row]] = 0.0
        for document in range(len(room)):
            if room[document] > similarity[row, last]:
                _insert(room[document], document, similarity[row], neighbour[row])


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
    room: Floats,
    spread: Floats,
    touched: Integers,
    own: Indices,
    neighbour: Integers,
    similarity: Floats,
) -> None:
    """Follow the heaviest terms of each document, and compare in full what they find.

    `room`, `spread` and `touched` are workspace, zeros but for the last.
    """
    last = similarity.shape[1] - 1
    candidate = np.zeros(_CANDIDATES, dtype=np.int32)
    partial = np.zeros(_CANDIDATES, dtype=np.float32)
    for row in range(len(own)):
        first, end = starts[row], starts[row + 1]
        n_touched = n_followed = 0
        for t in np.argsort(-weights[first:end]):
            term, weight = terms[first + t], weights[first + t]
            low, high = column_starts[term], column_starts[term + 1]
            if n_followed + high - low > _POSTINGS and n_touched >= _CANDIDATES:
                break
            n_followed += high - low
            for p in range(low, high):
                document = column_documents[p]
                if room[document] == 0.0:
                    touched[n_touched] = document
                    n_touched += 1
                room[document] += weight * column_weights[p]
        partial[:] = 0.0
        for k in range(n_touched):
            document = touched[k]
            if room[document] > partial[-1] and document != own[row]:
                _insert(room[document], document, partial, candidate)
            room[document] = 0.0
        for t in range(first, end):
            spread[terms[t]] = weights[t]
        for k in range(_CANDIDATES):
            if partial[k] == 0.0:
                break
            whole = np.float32(0.0)
            for t in range(row_starts[candidate[k]], row_starts[candidate[k] + 1]):
                whole += spread[row_terms[t]] * row_weights[t]
            if whole > similarity[row, last]:
                _insert(whole, candidate[k], similarity[row], neighbour[row])
        for t in range(first, end):
            spread[terms[t]] = 0.0
