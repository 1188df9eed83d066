"""What similar training documents say of a document: an opinion of their own.

Where features are known: the votes of its neighbours, the errors that the classifier made on
them (*surprise*), and how near the document is to the middle of every class. Neighbours are found
once for all documents; the rest is counted block by block.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.similarity.centroids import Centroids
from satc.calibration.similarity.features import as_features, normalised
from satc.calibration.similarity.neighbours import Neighbours, Polled
from satc.inputs import Labels

Floats = NDArray[np.float32]


class Similar(NamedTuple):
    """What is said of a block of documents."""

    votes: Floats  # documents x classes: the share of the neighbours with the label
    surprise: Floats  # by how much that share exceeds what the classifier expected of them
    centroid: Floats  # the cosine with the sum of the class's documents
    nearest: Floats  # similarity of the nearest training document
    length: Floats  # number of nonzero features


SimilarOf = Callable[[slice], Similar | None]


def unknown(rows: slice) -> None:
    """Nothing is said where there are no features."""


class SimilarDocuments:
    """Training documents with their labels and the errors that the classifier made on them.

    Parameters
    ----------
    train_features : array or sparse matrix of shape (n_train, n_features)
    y_train : boolean array of shape (n_train, n_classes)
    residuals : sparse array of the same shape
        Label minus (held-out) probability; what is next to 0 may be left out.
    random_state : int
        Seeds the approximate index of neighbours.
    """

    def __init__(
        self, train_features: Any, y_train: Labels, residuals: Any, random_state: int = 0
    ) -> None:
        self.neighbours = Neighbours(random_state=random_state).fit(train_features, y_train)
        self.residuals = residuals
        self.centroids = Centroids().fit(self.neighbours.features_, self.neighbours.labels_)

    def to_training(self) -> SimilarOf:
        """Compare the training documents, each with the others."""
        polled = self.neighbours.nearest_to_training()
        labels = self.neighbours.labels_

        def similar(rows: slice) -> Similar:
            own = labels[rows].toarray() * (polled.length[rows, np.newaxis] > 0)
            features = self.neighbours.features_[rows]
            return self._similar(polled, rows, self.centroids.similarities(features, own))

        return similar

    def to(self, features: Any) -> SimilarOf:
        """Compare other documents."""
        polled = self.neighbours.nearest_to(features)
        return partial(self._compared, normalised(as_features(features, "features")), polled)

    def _compared(self, features: Any, polled: Polled, rows: slice) -> Similar:
        return self._similar(polled, rows, self.centroids.similarities(features[rows]))

    def _similar(self, polled: Polled, rows: slice, centroid: Floats) -> Similar:
        shares = self.neighbours.shares(polled, rows)
        return Similar(
            (shares @ self.neighbours.labels_).toarray(),
            (shares @ self.residuals).toarray(),
            centroid,
            polled.nearest.similarity[rows, 0].copy(),
            polled.length[rows],
        )
