"""Least confidence: the documents whose labels are least probable come first."""

from __future__ import annotations

import numpy as np

from satc.ranking.rivals.predicted import Array, Predicted

_LARGEST = 1.0 - 2.0**-53


def least_confidence(predicted: Predicted) -> Array:
    """Return -ln P(the labels of the document).

    If a document may have several labels, its labels are right if all decisions on it are; the
    classes are taken as independent.

    Source: Lewis and Gale, "A sequential algorithm for training text classifiers", SIGIR 1994; for
    several labels, Culotta and McCallum, "Reducing labeling effort for structured prediction
    tasks", AAAI 2005.

    >>> predicted = Predicted(np.array([[True, False]]), np.array([[0.5, 0.5]]))
    >>> least_confidence(predicted).round(3)  # ln 4
    array([1.386])
    """
    if predicted.one_label:
        return np.asarray(-np.log1p(-np.minimum(predicted.wrong_label, _LARGEST)))
    return np.asarray(-np.log1p(-np.minimum(predicted.wrong, _LARGEST)).sum(axis=1))
