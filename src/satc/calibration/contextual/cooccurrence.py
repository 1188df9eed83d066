"""Co-occurrence of labels: the evidence of a document's likely labels for its other labels.

The evidence of the other labels k of a document for a label j is the sum over k of P(k) times
log(P(j | k) / P(j)), with conditional frequencies shrunk towards the prior. For labels that never
occur together the logarithm depends on k only, so only pairs that do occur together are stored.
Where these would be too many for memory, only the most frequent labels are evidence.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.logistic import row_blocks
from satc.inputs import Labels

Array = NDArray[np.float64]

MOST_PAIRS = 20_000_000  # pairs of labels that are stored
_BLOCK_PAIRS = 1 << 20
_PSEUDO = 2.0  # pseudo-count: documents by which conditional frequencies are shrunk to the prior


class Cooccurrence:
    """The lift of every pair of labels that occur together.

    Attributes
    ----------
    never_ : array of shape (n_classes,)
        Evidence of each label for labels that it never occurs with: a negative number.
    lift_ : sparse array of shape (n_classes, n_classes)
        What is added to that for labels that a label (the row) occurs with.

    Examples
    --------
    >>> labels = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    >>> together = Cooccurrence().fit(labels)
    >>> bool(together.lift_[0, 1] > -together.never_[0])
    True
    """

    def fit(self, labels: Labels) -> Self:
        """Count which labels occur together."""
        return self.fit_counts(PairCounts.of(labels, heard_classes(labels)))

    def fit_counts(self, counted: PairCounts) -> Self:
        """Fit to the numbers of documents in which two labels occur together."""
        counts = counted.counts
        self.never_ = np.log(_PSEUDO / (counts + _PSEUDO))
        if counted.heard is not None:
            self.never_[~counted.heard] = 0.0
        together = sparse.coo_array(counted.together)
        k, j = together.coords
        prior = (counts + 0.1) / counted.n_documents
        lift = np.log1p(together.data / (_PSEUDO * prior[j]))
        lift[k == j] = 0.0
        self.lift_ = sparse.csr_array((lift, (k, j)), shape=together.shape)
        return self


class PairCounts(NamedTuple):
    """In how many documents labels occur, and two labels together."""

    together: Any  # classes x classes, sparse; empty rows where a class is not heard
    counts: Array  # documents of each class
    n_documents: int
    heard: Labels | None  # classes that are evidence for others; None if all are

    @classmethod
    def of(cls, labels: Labels, heard: Labels | None = None) -> PairCounts:
        """Count the labels of documents."""
        counts = labels.sum(axis=0).astype(np.float64)
        return cls(cooccurrence_counts(labels, heard), counts, len(labels), heard)

    def without(self, part: PairCounts) -> PairCounts:
        """Return the counts of the other documents."""
        return PairCounts(
            self.together - part.together,
            self.counts - part.counts,
            self.n_documents - part.n_documents,
            self.heard,
        )


def cooccurrence_counts(labels: Labels, heard: Labels | None = None) -> Any:
    """Return in how many documents two labels occur together, classes x classes, sparse.

    Rows of classes that are not `heard` are empty.

    >>> cooccurrence_counts(np.array([[1, 1], [1, 0]], dtype=bool)).toarray()
    array([[2., 1.],
           [1., 1.]])
    """
    together: Any = sparse.csr_array((labels.shape[1],) * 2, dtype=np.float64)
    size = max(1, _BLOCK_PAIRS // labels.shape[1])
    for start in range(0, len(labels), size):
        indicator = sparse.csr_array(labels[start : start + size], dtype=np.float64)
        giving = indicator
        if heard is not None:
            giving = sparse.csr_array(labels[start : start + size] & heard, dtype=np.float64)
        together = together + giving.T @ indicator
    return together


def heard_classes(labels: Labels) -> Labels | None:
    """Return the classes that are evidence for others; None if all are.

    These are all classes, unless so many labels occur together that their pairs would not fit into
    memory: then the most frequent ones.
    """
    n_classes = labels.shape[1]
    per_document = labels.sum(axis=1).astype(np.float64)
    if min(float(per_document @ per_document), float(n_classes) ** 2) <= MOST_PAIRS:
        return None
    pairs, counts = np.zeros(n_classes), np.zeros(n_classes)
    for rows in row_blocks(*labels.shape):
        pairs += per_document[rows] @ labels[rows]
        counts += labels[rows].sum(axis=0)
    pairs = np.minimum(pairs, n_classes)
    order = np.argsort(-counts, kind="stable")
    heard = np.zeros(n_classes, dtype=bool)
    heard[order[np.cumsum(pairs[order]) <= MOST_PAIRS]] = True
    return heard
