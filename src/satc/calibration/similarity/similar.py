"""The evidence of similar training documents about the labels of a document.

The evidence consists of the votes of its neighbours, the errors that the classifier made on these
neighbours, and the similarity of the document to every class. It needs features of documents.
Neighbours are found once for all documents; the rest is computed block by block. How much large
features count in similarities is learnt first (`damping`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.similarity.centroids import Centroids
from satc.calibration.similarity.damping import best_power, best_sharpness, damped
from satc.calibration.similarity.features import as_features, lengths, normalised
from satc.calibration.similarity.neighbours import FoundNeighbours, Neighbours
from satc.inputs import Labels

Floats = NDArray[np.float32]


class SimilarDocument(NamedTuple):
    """A document with known labels that is similar to another document.

    Attributes
    ----------
    row : int
        Its row among the training documents, or among the ranked documents.
    similarity : float
        The cosine of the features, greater than 0 and about 1 at most.
    labels : tuple of int
        Its classes.
    is_training : bool
        False in a cold start, for a ranked document that people decided on.
    """

    row: int
    similarity: float
    labels: tuple[int, ...]
    is_training: bool = True


class Similar(NamedTuple):
    """The evidence of similar documents for a block of documents."""

    votes: Floats  # share of the neighbours with the label, documents x classes
    errors: Floats  # mean of label minus expected label over the neighbours, documents x classes
    centroid: Floats  # cosine with the sum of the class's documents, documents x classes
    nearest: Floats  # similarity of the nearest training document
    length: Floats  # number of nonzero features


SimilarOf = Callable[[slice], Similar | None]  # the evidence for a slice of documents


def no_features(rows: slice) -> None:
    """Return None: without features there is no evidence of similar documents."""


class SimilarDocuments:
    """Training documents with their labels and the errors of the classifier on them.

    Parameters
    ----------
    train_features : array or sparse matrix of shape (n_train, n_features)
    y_train : boolean array of shape (n_train, n_classes)
    residuals : sparse array of the same shape
        Label minus (held-out) probability; values near 0 may be left out.
    random_state : int
        Seed of the approximate index of neighbours.
    """

    def __init__(
        self, train_features: Any, y_train: Labels, residuals: Any, random_state: int = 0
    ) -> None:
        features = as_features(train_features, "train_features")
        self.neighbours = Neighbours(random_state=random_state)
        self.power = 1.0
        k = self.neighbours.k
        if features.shape[0] == len(y_train):  # if not, `fit` says what must hold
            self.power = best_power(features, y_train, k, random_state)
            changed = damped(features, self.power)
            self.neighbours.sharpness = best_sharpness(changed, y_train, k, random_state)
        self.neighbours.fit(damped(features, self.power), y_train)
        self.residuals = residuals
        self.centroids = Centroids().fit(self.neighbours.features_, self.neighbours.labels_)

    def of_training(self) -> SimilarOf:
        """Return the evidence for each training document from the other ones."""
        found = self.neighbours.find_for_training()
        labels = self.neighbours.labels_

        def similar(rows: slice) -> Similar:
            own = labels[rows].toarray() * (found.length[rows, np.newaxis] > 0)
            features = self.neighbours.features_[rows]
            return self._similar(found, rows, self.centroids.similarities(features, own))

        return similar

    def of(self, features: Any) -> SimilarOf:
        """Return the evidence for documents that are not training documents."""
        changed = damped(as_features(features, "features"), self.power)
        scaled = normalised(changed)
        found = self.neighbours.find_normalised(scaled, lengths(changed))
        return partial(self._of_rows, scaled, found)

    def nearest_to(self, features: Any, n: int) -> list[SimilarDocument]:
        """Return the n nearest training documents of one document, the nearest first.

        `features` has one row. There are at most as many as vote (`neighbours.K`), and fewer if
        others have nothing in common with the document.
        """
        if n < 1:
            raise ValueError(f"n must be at least 1, but is {n}")
        changed = damped(as_features(features, "features"), self.power)
        found = self.neighbours.find(changed).nearest
        return [
            SimilarDocument(int(row), float(similarity), self._labels_of(int(row)))
            for row, similarity in zip(found.neighbour[0, :n], found.similarity[0, :n], strict=True)
            if similarity > 0
        ]

    def _labels_of(self, row: int) -> tuple[int, ...]:
        labels = self.neighbours.labels_
        columns = labels.indices[labels.indptr[row] : labels.indptr[row + 1]]
        return tuple(sorted(columns.tolist()))

    def _of_rows(self, features: Any, found: FoundNeighbours, rows: slice) -> Similar:
        return self._similar(found, rows, self.centroids.similarities(features[rows]))

    def _similar(self, found: FoundNeighbours, rows: slice, centroid: Floats) -> Similar:
        weights = self.neighbours.vote_weights(found, rows)
        return Similar(
            (weights @ self.neighbours.labels_).toarray(),
            (weights @ self.residuals).toarray(),
            centroid,
            found.nearest.similarity[rows, 0].copy(),
            found.length[rows],
        )
