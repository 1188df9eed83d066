"""Co-occurrence of labels: the evidence of a document's likely labels for its other labels.

The evidence of the other labels k of a document for a label j is the sum over k of P(k) times
log(P(j | k) / P(j)), with conditional frequencies shrunk towards the prior. For labels that never
occur together the logarithm depends on k only, so only pairs that do occur together are stored.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.logistic import row_blocks
from satc.inputs import Labels

Array = NDArray[np.float64]

_UNLIKELY = 0.01  # labels with a smaller probability are ignored
_PSEUDO = 2.0  # pseudo-count: documents by which conditional frequencies are shrunk to the prior


class Cooccurrence:
    """The lift of every pair of labels that occur together.

    Examples
    --------
    >>> labels = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    >>> evidence = Cooccurrence().fit(labels).evidence(np.array([[0.9, 0.0, 0.0]]))[0]
    >>> bool(evidence[1] > 0 > evidence[2])
    True
    """

    def fit(self, labels: Labels) -> Self:
        """Count which labels occur together."""
        return self.fit_counts(cooccurrence_counts(labels), len(labels))

    def fit_counts(self, together: Any, n_documents: int) -> Self:
        """Fit to the numbers of documents in which two labels occur together."""
        counts = together.diagonal()
        self.never_ = np.log(_PSEUDO / (counts + _PSEUDO))
        together = sparse.coo_array(together)
        k, j = together.coords
        prior = (counts + 0.1) / n_documents
        lift = np.log1p(together.data / (_PSEUDO * prior[j]))
        lift[k == j] = 0.0
        self.lift_ = sparse.csr_array((lift, (k, j)), shape=together.shape)
        return self

    def evidence(self, probability: Array) -> Array:
        """Return the evidence of the likely labels of each document, documents x classes."""
        likely = np.where(probability >= _UNLIKELY, probability, 0.0)
        never = likely * self.never_
        evidence = (sparse.csr_array(likely) @ self.lift_).toarray()
        evidence -= never
        evidence += never.sum(axis=1, keepdims=True)
        return np.asarray(evidence)


def cooccurrence_counts(labels: Labels) -> Any:
    """Return in how many documents two labels occur together, classes x classes, sparse.

    >>> cooccurrence_counts(np.array([[1, 1], [1, 0]], dtype=bool)).toarray()
    array([[2., 1.],
           [1., 1.]])
    """
    together: Any = sparse.csr_array((labels.shape[1],) * 2, dtype=np.float64)
    for rows in row_blocks(*labels.shape):
        indicator = sparse.csr_array(labels[rows], dtype=np.float64)
        together = together + indicator.T @ indicator
    return together
