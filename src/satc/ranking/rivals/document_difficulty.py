"""What is known of the document difficulty framework (DDF) of Martinez-Alvarez and others.

Its abstract names three levels: how the confidence in each pair of document and class is measured
(evidence), which classes are looked at (class), and how their values become one (aggregation). The
formulas are not in public text. Our paper says that the first version is not defined for documents
without predicted labels, nor for a threshold of 0. So it looks at the predicted labels, and divides
by the threshold.

These are therefore plain aggregates of that kind, not the published formulas. The evidence is the
distance of the score from the threshold, in units of sigma; the classes are the predicted labels;
the aggregation is the mean or the minimum. A document without labels gets the distance of the class
that is nearest to its threshold. The same aggregates over all classes are ``mean-confidence`` and
``minimum-confidence``.
"""

from __future__ import annotations

import numpy as np

from satc.ranking.rivals.predicted import Array, Predicted, doubt


def mean_difficulty(predicted: Predicted) -> Array:
    """Return a utility that falls as the mean confidence in the predicted labels rises.

    Source: Martinez-Alvarez, Yahyaei and Roelleke, "Semi-automatic document classification:
    exploiting document difficulty", ECIR 2012; Martinez-Alvarez, Bellogin and Roelleke, "Document
    difficulty framework for semi-automatic text classification", DaWaK 2013. See the module for
    what of it is public.

    >>> wrong = 1 / (1 + np.exp([[2.0, 4.0, 0.1]]))
    >>> mean_difficulty(Predicted(np.array([[True, True, False]]), wrong)).round(3)
    array([0.25])
    """
    decided, confidence = predicted.decided, predicted.confidence
    sums = np.where(decided, confidence, 0.0).sum(axis=1)
    counts = decided.sum(axis=1)
    return doubt(np.where(counts > 0, sums / np.maximum(counts, 1), confidence.min(axis=1)))


def minimum_difficulty(predicted: Predicted) -> Array:
    """Return a utility that falls as the smallest confidence in a predicted label rises.

    Source: as for `mean_difficulty`.

    >>> wrong = 1 / (1 + np.exp([[1.0, 4.0, 0.1]]))
    >>> minimum_difficulty(Predicted(np.array([[True, True, False]]), wrong)).round(3)
    array([0.5])
    """
    decided, confidence = predicted.decided, predicted.confidence
    smallest = np.where(decided, confidence, np.inf).min(axis=1)
    return doubt(np.where(np.isinf(smallest), confidence.min(axis=1), smallest))
