"""Votes of the nearest training documents: an opinion that does not depend on the classifier.

The vote for a class is the share of the k nearest training documents that have the label, weighted
by similarity (the cosine of the features). A training document never votes for itself. Neighbours
are found once for all documents; votes are counted block by block.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.logistic import row_blocks
from satc.calibration.similarity.features import as_features, lengths, normalised
from satc.calibration.similarity.nearest import make_index, nearest, vote_weights
from satc.calibration.similarity.selection import Nearest
from satc.inputs import Labels

Floats = NDArray[np.float32]

K = 20
EXACT_DOCUMENTS = 100_000


class Neighbours:
    """The nearest training documents, and the weights of their votes.

    Parameters
    ----------
    k : int
        Number of neighbours that vote.
    exact_documents : int
        With more training documents than this, an approximate index is used.
    random_state : int
        Seed of the approximate index.
    sharpness : float
        Votes are weighted by similarity ** sharpness.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> neighbours = Neighbours(k=1).fit(X, np.array([[True], [True], [False]]))
    >>> weights = neighbours.vote_weights(neighbours.find(np.array([[0.1, 2.0]])))
    >>> (weights @ neighbours.labels_).toarray()
    array([[0.]], dtype=float32)
    """

    def __init__(
        self,
        k: int = K,
        *,
        exact_documents: int = EXACT_DOCUMENTS,
        random_state: int = 0,
        sharpness: float = 1.0,
    ) -> None:
        self.k = k
        self.exact_documents = exact_documents
        self.random_state = random_state
        self.sharpness = sharpness

    def fit(self, train_features: Any, y_train: Labels) -> Self:
        """Build the index of the training documents."""
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
            k=self.k_,
        )
        return self

    def find_for_training(self) -> FoundNeighbours:
        """Find the neighbours of each training document among the other ones."""
        own = np.arange(self.features_.shape[0])
        return FoundNeighbours(nearest(self.index_, self.features_, own, self.k_), self.length_)

    def find(self, features: Any) -> FoundNeighbours:
        """Find the neighbours of documents that are not training documents."""
        checked = as_features(features, "features")
        return self.find_normalised(normalised(checked), lengths(checked))

    def find_normalised(self, features: Any, length: Floats) -> FoundNeighbours:
        """Find the neighbours of such documents, given normalised features."""
        if features.shape[1] != self.features_.shape[1]:
            raise ValueError(
                f"features must have as many columns as train_features, "
                f"{self.features_.shape[1]}, but has {features.shape[1]}"
            )
        not_in_training = np.full(features.shape[0], -1)
        return FoundNeighbours(nearest(self.index_, features, not_in_training, self.k_), length)

    def vote_weights(self, found: FoundNeighbours, rows: slice = slice(None)) -> Any:
        """Return the weights of votes, documents x training documents, as a sparse array.

        The weights of a document sum to 1, or are all 0 if no training document is similar.
        """
        return vote_weights(found.nearest.of(rows), self.labels_.shape[0], self.sharpness)


class FoundNeighbours(NamedTuple):
    """Documents with their nearest training documents."""

    nearest: Nearest
    length: Floats  # number of nonzero features


def _sparse_labels(labels: Labels) -> Any:
    """Return labels as a sparse float32 array; it is built block by block."""
    blocks = row_blocks(*labels.shape)
    return sparse.csr_array(
        sparse.vstack([sparse.csr_array(labels[rows], dtype=np.float32) for rows in blocks])
    )
