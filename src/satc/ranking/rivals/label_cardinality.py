"""Label cardinality: documents with an unusual number of labels come first."""

from __future__ import annotations

import numpy as np

from satc.ranking.rivals.predicted import Array, Predicted


def cardinality_inconsistency(predicted: Predicted) -> Array:
    """Return the difference of the number of labels from the mean of the training documents.

    Many documents have the same number of labels; ties are broken by index, as everywhere.

    Source: the label cardinality inconsistency of Li and Guo, "Active learning with multi-label SVM
    classification", IJCAI 2013.

    >>> decided = np.array([[True, True], [True, False], [False, False]])
    >>> cardinality_inconsistency(Predicted(decided, np.zeros((3, 2)), cardinality=1.25))
    array([0.75, 0.25, 1.25])
    """
    if predicted.cardinality is None:
        raise ValueError("cardinality must be a number, but is None")
    return np.asarray(np.abs(predicted.decided.sum(axis=1) - predicted.cardinality))
