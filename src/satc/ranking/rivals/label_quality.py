"""cleanlab's label quality scores; documents with the lowest quality come first.

They were made to find errors in labels that people gave. Here the labels are those of a classifier,
and the probabilities those of its calibrated scores. The utility is 1 minus the quality.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from satc.ranking.rivals.predicted import Array, Predicted

_ALPHA = 0.8  # cleanlab's default: how much the smallest score of a class counts
_SMALLEST = 1e-6  # cleanlab's lower bound of a divisor


def self_confidence(predicted: Predicted) -> Array:
    """Return 1 minus the self-confidence, which is the probability of the given label.

    If a document may have several labels, every class has a self-confidence, that of its label or
    of its absence, and their exponential moving average, from the largest to the smallest, is the
    score of the document.

    Source: Northcutt, Jiang and Chuang, "Confident learning", JAIR 2021, and the documentation of
    `cleanlab.rank`; for several labels, Thyagarajan, Snorrason, Northcutt and Mueller, "Identifying
    incorrect annotations in multi-label classification data", 2022, and the documentation of
    `cleanlab.multilabel_classification`.

    >>> predicted = Predicted(np.array([[True, False]]), np.array([[0.5, 0.25]]))
    >>> self_confidence(predicted).round(3)  # .8 x .5 + .2 x .25
    array([0.45])
    """
    if predicted.one_label:
        return predicted.wrong_label
    return moving_average(predicted.wrong)


def normalized_margin(predicted: Predicted) -> Array:
    """Return 1 minus the normalised margin, (P(label) - P(best other class) + 1) / 2.

    If a document may have several labels, the two classes of each decision are yes and no. The
    margin of a decision then equals its self-confidence, and the order is that of
    `self_confidence`.

    Source: as for `self_confidence`.

    >>> decided = np.array([[True, False, False]])
    >>> normalized_margin(Predicted(decided, np.array([[0.5, 0.25, 0.25]]), one_label=True))
    array([0.375])
    """
    if not predicted.one_label:
        return self_confidence(predicted)
    other = np.where(predicted.decided, 0.0, predicted.wrong).max(axis=1)
    return np.asarray((predicted.wrong_label + other) / 2.0)


def confidence_weighted_entropy(predicted: Predicted) -> Array:
    """Return 1 minus cleanlab's quality by confidence weighted entropy, ln(1 + x) / x.

    Here x is the entropy of the probabilities, divided by its largest possible value, and by the
    probability of the given label. If a document may have several labels, every class has such a
    score, and the score of the document is their exponential moving average, as for
    `self_confidence`. As in cleanlab, x is at least 1e-6 where it is a divisor, but not in the
    logarithm. So a document whose x is smaller, which is almost certain, has a low quality, and
    comes early in the order.

    Source: as for `self_confidence`.

    >>> predicted = Predicted(np.array([[True, False]]), np.array([[0.5, 0.5]]), one_label=True)
    >>> confidence_weighted_entropy(predicted).round(3)  # x = 1 / .5
    array([0.451])
    """
    p = predicted.probability
    if predicted.one_label:
        entropy = -xlogy(p, p).sum(axis=1) / np.log(max(p.shape[1], 2))
        return _weighted(entropy, predicted.wrong_label)
    entropy = -(xlogy(p, p) + xlogy(1.0 - p, 1.0 - p)) / np.log(2.0)
    return moving_average(_weighted(entropy, predicted.wrong))


def _weighted(entropy: Array, wrong: Array) -> Array:
    """Return 1 minus the quality of labels that are wrong with these probabilities."""
    x = entropy / np.maximum(1.0 - wrong, _SMALLEST)
    return np.asarray(1.0 - np.log1p(x) / np.maximum(x, _SMALLEST))


def moving_average(wrong: Array) -> Array:
    """Return the exponential moving average of each row, from the smallest value to the largest.

    >>> moving_average(np.array([[0.0, 1.0, 0.0]]))
    array([0.8])
    """
    n = wrong.shape[1]
    weights = _ALPHA * (1.0 - _ALPHA) ** np.arange(n)
    weights[-1] /= _ALPHA  # the average starts with the smallest value
    return np.asarray(np.sort(wrong, axis=1)[:, ::-1] @ weights)
