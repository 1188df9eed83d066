"""The similarity of a document to a class: the cosine with the sum of the class's documents.

A training document is compared with the sum of the other documents (Rocchio's classifier with
leave-one-out), so that a class with a single document gives no information about that document.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from satc.calibration.similarity.features import is_sparse

Floats = NDArray[np.float32]

_SMALLEST = 1e-6  # lower limit of the squared length of a sum


class Centroids:
    """For every class, the sum of the (normalised) features of its documents.

    Examples
    --------
    >>> from scipy import sparse
    >>> features = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    >>> labels = sparse.csr_array(np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32))
    >>> centroids = Centroids().fit(features, labels)
    >>> centroids.similarities(features[:1])
    array([[1., 0.]], dtype=float32)
    >>> centroids.similarities(features[2:], own=labels[2:].toarray())
    array([[0., 0.]], dtype=float32)
    """

    def fit(self, features: Any, labels: Any) -> Self:
        """Sum up the documents of every class; `labels` is a sparse float32 matrix."""
        sums = (labels.T @ features).T
        self.sums_ = sums.tocsr() if is_sparse(sums) else sums
        squares = self.sums_.multiply(self.sums_) if is_sparse(sums) else np.square(sums)
        self.squares_ = np.asarray(squares.sum(axis=0), dtype=np.float32).ravel()
        return self

    def similarities(self, features: Any, own: Floats | None = None) -> Floats:
        """Return the cosines of documents with the classes.

        `own` holds the labels (0/1) of training documents, which are removed from the sums.
        """
        product = features @ self.sums_
        dense: Floats = product.toarray() if is_sparse(product) else np.asarray(product)
        squares = np.broadcast_to(self.squares_, dense.shape)
        if own is not None:
            squares = squares - own * (2 * dense - 1)
            dense = dense - own
        return (dense / np.sqrt(np.maximum(squares, _SMALLEST))).astype(np.float32, copy=False)
