"""Entropy: the documents whose probabilities say least come first."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from satc.ranking.rivals.predicted import Array, Predicted


def entropy(predicted: Predicted) -> Array:
    """Return the entropy of the labels of each document, in nats.

    With exactly one label, it is that of the distribution over the classes. With several, it is
    the sum over the classes of the entropy of each decision, as if these were independent.

    Source: Settles, "Active learning literature survey", University of Wisconsin-Madison, 2010,
    Section 3.1, after Shannon 1948.

    >>> predicted = Predicted(np.array([[True, False]]), np.array([[0.5, 0.0]]))
    >>> entropy(predicted).round(3)  # ln 2
    array([0.693])
    """
    if predicted.one_label:
        return np.asarray(entr(predicted.probability).sum(axis=1))
    return np.asarray((entr(predicted.wrong) + entr(1.0 - predicted.wrong)).sum(axis=1))
