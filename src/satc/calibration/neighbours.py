"""Votes of the nearest training documents: an opinion that the classifier has no part in.

A document's vote for a class is the share of its k nearest training documents that carry the
label, each weighted by its similarity (the cosine of the features). A training document never
votes for itself. Products are exact and made block by block, an inverted index for sparse
features; for very many training documents only those in the nearest clusters are compared.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from satc.inputs import Labels

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]

K = 20
EXACT_DOCUMENTS = 100_000
_BLOCK_SIMILARITIES = 1 << 24
_PROBED = 16  # clusters that a document is compared with
_PROJECTED = 64  # dimensions in which clusters are made


class Votes(NamedTuple):
    """What the neighbours say of some documents."""

    votes: Floats  # documents x classes, shares from 0 to 1
    nearest: Floats  # similarity of the nearest training document
    length: Floats  # number of nonzero features


class NeighbourVotes:
    """Similarity-weighted votes of the nearest training documents.

    Parameters
    ----------
    k : int
        How many neighbours vote.
    exact_documents : int
        With more training documents than that, an approximate index is used.
    random_state : int
        Seeds the approximate index.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> votes = NeighbourVotes(k=1).fit(X, np.array([[True], [True], [False]]))
    >>> votes.votes(np.array([[0.1, 2.0]])).votes
    array([[0.]], dtype=float32)
    """

    def __init__(
        self, k: int = K, *, exact_documents: int = EXACT_DOCUMENTS, random_state: int = 0
    ) -> None:
        self.k = k
        self.exact_documents = exact_documents
        self.random_state = random_state

    def fit(self, train_features: Any, y_train: Labels) -> Self:
        """Keep the training documents, normalised, in the form that they are searched in."""
        self.features_ = as_features(train_features, "train_features")
        if self.features_.shape[0] != len(y_train):
            raise ValueError(
                f"train_features must have as many rows as y_train, {len(y_train)}, "
                f"but has {self.features_.shape[0]}"
            )
        self.length_ = lengths(self.features_)
        self.features_ = normalised(self.features_)
        self.labels_ = sparse.csr_array(y_train, dtype=np.float32)
        self.k_ = min(self.k, max(1, len(y_train) - 1))
        if len(y_train) > self.exact_documents:
            self.index_: _Clusters | _Everything = _Clusters(self.features_, self.random_state)
        else:
            self.index_ = _Everything(self.features_)
        return self

    def votes_of_training(self) -> Votes:
        """Votes for the training documents, each by the others."""
        own = np.arange(self.features_.shape[0])
        return self._votes(self.features_, own, self.length_)

    def votes(self, features: Any) -> Votes:
        """Votes for other documents."""
        checked = as_features(features, "features")
        if checked.shape[1] != self.features_.shape[1]:
            raise ValueError(
                f"features must have as many columns as train_features, "
                f"{self.features_.shape[1]}, but has {checked.shape[1]}"
            )
        nobody = np.full(checked.shape[0], -1)
        return self._votes(normalised(checked), nobody, lengths(checked))

    def _votes(self, features: Any, own: Indices, length: Floats) -> Votes:
        n = features.shape[0]
        similarity = np.zeros((n, self.k_), dtype=np.float32)
        neighbour = np.zeros((n, self.k_), dtype=np.int64)
        self.index_.search(features, own, similarity, neighbour)
        total = similarity.sum(axis=1, keepdims=True)
        weight = similarity / np.where(total > 0, total, 1.0)
        starts = np.arange(n + 1) * self.k_
        shares = sparse.csr_array(
            (weight.ravel(), neighbour.ravel(), starts), shape=(n, self.labels_.shape[0])
        )
        return Votes((shares @ self.labels_).toarray(), similarity[:, 0].copy(), length)


def is_sparse(value: Any) -> bool:
    """Tell SciPy's sparse matrices and arrays from dense ones."""
    return bool(sparse.issparse(value))


def as_features(value: Any, name: str) -> Any:
    """Float32 features, documents x features: CSR where they were sparse, else an array."""
    if is_sparse(value):
        matrix: Any = sparse.csr_array(value, dtype=np.float32)
    else:
        matrix = np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)
        if matrix.ndim != 2:
            raise ValueError(
                f"{name} must have two dimensions, documents x features, "
                f"but has shape {matrix.shape}"
            )
        matrix = np.ascontiguousarray(matrix, dtype=np.float32)
    if not np.isfinite(matrix.data if is_sparse(value) else matrix).all():
        raise ValueError(f"{name} must be finite, but holds NaN or infinity")
    return matrix


def lengths(features: Any) -> Floats:
    """Count the nonzero features of every document."""
    if is_sparse(features):
        if (features.data == 0).any():
            features = features.copy()
            features.eliminate_zeros()
        return np.diff(features.indptr).astype(np.float32)
    return np.count_nonzero(features, axis=1).astype(np.float32)


def normalised(features: Any) -> Any:
    """Rows of length 1; an empty row stays empty."""
    if is_sparse(features):
        squares = np.asarray(features.multiply(features).sum(axis=1), dtype=np.float64).ravel()
        inverse = _inverse_root(squares)
        return sparse.csr_array(features * inverse[:, np.newaxis])
    squares = np.einsum("ij,ij->i", features, features, dtype=np.float64)
    return features * _inverse_root(squares)[:, np.newaxis]


def _inverse_root(squares: NDArray[np.float64]) -> Floats:
    return np.where(squares > 0, 1.0 / np.sqrt(np.where(squares > 0, squares, 1.0)), 0.0).astype(
        np.float32
    )


class _Everything:
    """Every training document is compared, block by block."""

    def __init__(self, features: Any) -> None:
        self.sparse = is_sparse(features)
        self.columns = sparse.csc_array(features) if self.sparse else features
        self.n = features.shape[0]

    def search(self, features: Any, own: Indices, similarity: Floats, neighbour: Indices) -> None:
        if self.sparse:
            if not is_sparse(features):
                features = sparse.csr_array(features)
            room = np.zeros(self.n, dtype=np.float32)
            query, held = features, self.columns
            _search_sparse(
                query.indptr,
                query.indices,
                query.data,
                held.indptr,
                held.indices,
                held.data,
                room,
                own,
                similarity,
                neighbour,
            )
            return
        if is_sparse(features):
            features = features.toarray()
        everyone = np.arange(self.n)
        size = max(1, _BLOCK_SIMILARITIES // self.n)
        for start in range(0, len(features), size):
            block = slice(start, start + size)
            product = features[block] @ self.columns.T
            rows = np.arange(start, start + len(product))
            _keep_nearest(product, rows, everyone, own, similarity, neighbour)


class _Clusters:
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
        order = np.argsort(self.means.labels_, kind="stable")
        bounds = np.searchsorted(
            self.means.labels_[order], np.arange(len(self.means.cluster_centers_) + 1)
        )
        self.members = [order[a:b] for a, b in pairwise(bounds)]

    def search(self, features: Any, own: Indices, similarity: Floats, neighbour: Indices) -> None:
        distance = self.means.transform(self.projection.transform(features).astype(np.float32))
        probed = min(_PROBED, distance.shape[1])
        nearest = np.argpartition(distance, probed - 1, axis=1)[:, :probed]
        for cluster, members in enumerate(self.members):
            rows = np.flatnonzero((nearest == cluster).any(axis=1))
            if not len(members):
                continue
            held = self.features[members].T
            size = max(1, _BLOCK_SIMILARITIES // len(members))
            for start in range(0, len(rows), size):
                some = rows[start : start + size]
                product = features[some] @ held
                dense = product.toarray() if is_sparse(product) else product
                _keep_nearest(
                    np.ascontiguousarray(dense), some, members, own, similarity, neighbour
                )


@njit(cache=True)
def _insert(value: float, identity: int, similarity: Floats, neighbour: Indices) -> None:
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
    identities: Indices,
    own: Indices,
    similarity: Floats,
    neighbour: Indices,
) -> None:
    """Go through the similarities of some rows with some training documents."""
    for r in range(len(rows)):
        row = rows[r]
        last = similarity.shape[1] - 1
        for c in range(len(identities)):
            if product[r, c] > similarity[row, last] and identities[c] != own[row]:
                _insert(product[r, c], identities[c], similarity[row], neighbour[row])


@njit(cache=True)
def _search_sparse(
    starts: NDArray[np.int32],
    terms: NDArray[np.int32],
    weights: Floats,
    held_starts: NDArray[np.int32],
    held_documents: NDArray[np.int32],
    held_weights: Floats,
    room: Floats,
    own: Indices,
    similarity: Floats,
    neighbour: Indices,
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
