"""The confidence of a document, as the mean or the smallest confidence over the classes.

The confidence of a decision is the magnitude of its score, as in the paper, in units of sigma.
"""

from __future__ import annotations

import numpy as np

from satc.ranking.rivals.predicted import Array, Predicted, doubt


def mean_confidence(predicted: Predicted) -> Array:
    """Return a utility that falls as the mean confidence over all classes rises.

    The mean of the calibrated probabilities, instead of the confidences, is the order of the
    method ``baseline``.

    Source: the strategies with average confidence of Esuli and Sebastiani, "Active learning
    strategies for multi-label text classification", ECIR 2009.

    >>> wrong = 1 / (1 + np.exp([[2.0, 4.0]]))
    >>> mean_confidence(Predicted(np.array([[True, False]]), wrong)).round(3)  # 1 / (1 + 3)
    array([0.25])
    """
    return doubt(predicted.confidence.mean(axis=1))


def minimum_confidence(predicted: Predicted) -> Array:
    """Return P(error) of the least certain decision on each document.

    Source: the strategies with minimum confidence of Esuli and Sebastiani, ECIR 2009; before, the
    binary minimum of Brinker, "On active learning in multi-label classification", 2006.

    >>> minimum_confidence(Predicted(np.array([[True, False]]), np.array([[0.25, 0.125]])))
    array([0.25])
    """
    return np.asarray(predicted.wrong.max(axis=1))
