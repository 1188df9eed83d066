"""Votes of the nearest training documents: an opinion that the classifier has no part in.

A document's vote for a class is the share of its k nearest training documents that carry the
label, each weighted by its similarity (the cosine of the features). A training document never
votes for itself. Neighbours are found once for all documents; votes are counted block by block.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.logistic import row_blocks
from satc.calibration.similarity.features import as_features, lengths, normalised
from satc.calibration.similarity.nearest import Nearest, make_index, nearest
from satc.inputs import Labels

Floats = NDArray[np.float32]

K = 20
EXACT_DOCUMENTS = 100_000


class Neighbours:
    """The nearest training documents, and the weight of each one's vote.

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
    >>> neighbours = Neighbours(k=1).fit(X, np.array([[True], [True], [False]]))
    >>> shares = neighbours.shares(neighbours.nearest_to(np.array([[0.1, 2.0]])))
    >>> (shares @ neighbours.labels_).toarray()
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
        features = as_features(train_features, "train_features")
        if features.shape[0] != len(y_train):
            raise ValueError(
                f"train_features must have as many rows as y_train, {len(y_train)}, "
                f"but has {features.shape[0]}"
            )
        self.length_ = lengths(features)
        self.features_ = normalised(features)
        self.labels_ = _sparse_labels(y_train)
        self.k_ = min(self.k, max(1, len(y_train) - 1))
        self.index_ = make_index(
            self.features_,
            exact=len(y_train) <= self.exact_documents,
            random_state=self.random_state,
        )
        return self

    def nearest_to_training(self) -> Polled:
        """Find the neighbours of the training documents, each among the others."""
        own = np.arange(self.features_.shape[0])
        return Polled(nearest(self.index_, self.features_, own, self.k_), self.length_)

    def nearest_to(self, features: Any) -> Polled:
        """Find the neighbours of other documents."""
        checked = as_features(features, "features")
        if checked.shape[1] != self.features_.shape[1]:
            raise ValueError(
                f"features must have as many columns as train_features, "
                f"{self.features_.shape[1]}, but has {checked.shape[1]}"
            )
        nobody = np.full(checked.shape[0], -1)
        found = nearest(self.index_, normalised(checked), nobody, self.k_)
        return Polled(found, lengths(checked))

    def shares(self, polled: Polled, rows: slice = slice(None)) -> Any:
        """Weights of the training documents in the vote on some documents, sparse.

        They sum to 1, or are all 0 where no training document is similar.
        """
        neighbour, similarity = polled.nearest.of(rows)
        total = similarity.sum(axis=1, keepdims=True)
        weight = similarity / np.where(total > 0, total, 1.0)
        starts = np.arange(len(weight) + 1) * self.k_
        return sparse.csr_array(
            (weight.ravel(), neighbour.ravel(), starts), shape=(len(weight), self.labels_.shape[0])
        )


class Polled(NamedTuple):
    """Documents whose neighbours are known."""

    nearest: Nearest
    length: Floats  # number of nonzero features


def _sparse_labels(labels: Labels) -> Any:
    """Float32 rows of labels, made block by block."""
    blocks = row_blocks(*labels.shape)
    return sparse.csr_array(
        sparse.vstack([sparse.csr_array(labels[rows], dtype=np.float32) for rows in blocks])
    )
