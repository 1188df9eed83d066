"""Which labels go with which: what a document's likely labels say of its others.

The evidence of a document's other labels k for a label j is the sum over k of P(k) times
log(P(j | k) / P(j)), the conditional frequency shrunk toward the prior. For labels that never
met, the logarithm depends on k alone: only pairs that did are kept.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.logistic import row_blocks
from satc.inputs import Labels

Array = NDArray[np.float64]

_UNLIKELY = 0.01  # labels less probable than that say nothing about others
_PSEUDO = 2.0  # documents by which conditional frequencies are shrunk to the prior


class Cooccurrence:
    """The lift of every pair of labels that met.

    Examples
    --------
    >>> labels = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    >>> evidence = Cooccurrence().fit(labels).evidence(np.array([[0.9, 0.0, 0.0]]))[0]
    >>> bool(evidence[1] > 0 > evidence[2])
    True
    """

    def fit(self, labels: Labels) -> Self:
        """Count which labels occur together."""
        return self.take(counts_together(labels), len(labels))

    def take(self, together: Any, n_documents: int) -> Self:
        """Learn from counts, classes x classes, of labels that occur together."""
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
        """Return what the likely labels of every document say of its other labels."""
        likely = np.where(probability >= _UNLIKELY, probability, 0.0)
        never = likely * self.never_
        met = (sparse.csr_array(likely) @ self.lift_).toarray()
        met -= never
        met += never.sum(axis=1, keepdims=True)
        return np.asarray(met)


def counts_together(labels: Labels) -> Any:
    """In how many documents two labels occur together, classes x classes, sparse.

    >>> counts_together(np.array([[1, 1], [1, 0]], dtype=bool)).toarray()
    array([[2., 1.],
           [1., 1.]])
    """
    together: Any = sparse.csr_array((labels.shape[1],) * 2, dtype=np.float64)
    for rows in row_blocks(*labels.shape):
        indicator = sparse.csr_array(labels[rows], dtype=np.float64)
        together = together + indicator.T @ indicator
    return together
