"""Expected F1 loss: documents whose own labels are expected to have a low F1 come first.

This is the F1 of one document over its labels, not that of one class over the documents, which the
paper improves.
"""

from __future__ import annotations

import numpy as np

from satc.ranking.rivals.predicted import Array, Predicted

_NODES = 64  # exact for up to 127 classes; for more, the error is far below 1e-9


def expected_f1_loss(predicted: Predicted) -> Array:
    """Return 1 - E[F1] of the labels of each document, whose classes are taken as independent.

    F1 is 2 |S and Y| / (|S| + |Y|), with the labels S and the true labels Y, and 1 where both are
    empty. With 1 / k as the integral of t^(k - 1) from 0 to 1, its expectation is an integral of
    products over the classes, which Gauss-Legendre quadrature computes. With exactly one label, F1
    is 1 or 0, and the loss is P(error).

    Source: the expected F of Lewis, "Evaluating and optimizing autonomous text classification
    systems", SIGIR 1995, and its exact computation by Jansche, "A maximum expected utility
    framework for binary sequence labeling", ACL 2007, and by Dembczynski et al., "An exact
    algorithm for F-measure maximization", NIPS 2011.

    >>> predicted = Predicted(np.array([[True, False]]), np.array([[0.2, 0.0]]))
    >>> expected_f1_loss(predicted).round(9)
    array([0.2])
    """
    if predicted.one_label:
        return predicted.wrong_label
    decided, probability = predicted.decided, predicted.probability
    n_labels = decided.sum(axis=1)
    right = np.where(decided, probability, 0.0)
    expected = np.zeros(len(decided))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    for t, weight in zip((nodes + 1.0) / 2.0, weights / 2.0, strict=True):
        factor = 1.0 - probability * (1.0 - t)
        terms = 2.0 * (right / factor).sum(axis=1)
        expected += weight * t**n_labels * factor.prod(axis=1) * terms
    none = (1.0 - probability).prod(axis=1)
    return np.maximum(1.0 - np.where(n_labels == 0, none, expected), 0.0)
