"""The share of positive documents of each class, where a document has any number of labels.

Each class is a binary problem. With the share pi in training and the probabilities p of the
documents, a share q makes the documents most likely if it maximises

    sum of log(q p / pi + (1 - q) (1 - p) / (1 - pi)).

The EM algorithm of Saerens et al. (2002) climbs to this maximum, slowly for rare classes. The sum
is concave in q, so Newton's method finds the same maximum in a few steps. Rare classes are damped
by a prior distribution of q, which is as if `pseudo_positives` further positive documents had been
seen among as many documents as have them in training.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_STEPS = 100
_TOLERANCE = 1e-12  # relative change of a share at which the search stops
_EDGE = 1e-12  # shares are at least this far from 0 and 1


def shifted_shares(probability: Array, share: Array, pseudo_positives: float = 0.0) -> Array:
    """Return the share of positive documents of each class, estimated from their probabilities.

    Parameters
    ----------
    probability : array of shape (n_documents, n_classes)
        Calibrated probabilities, which hold for the shares of the training documents.
    share : array of shape (n_classes,)
        The share of positive documents of each class in training. Where it is 0 or 1, it stays.
    pseudo_positives : float
        The weight of the share in training; 0 gives the estimate of Saerens et al.

    Examples
    --------
    >>> probability = np.array([[0.9], [0.9], [0.9], [0.1]])
    >>> shifted_shares(probability, np.array([0.5])).round(3)
    array([0.812])
    >>> shifted_shares(probability, np.array([0.5]), pseudo_positives=10).round(3)
    array([0.535])
    """
    found = share.astype(np.float64)
    for j in np.flatnonzero((share > 0.0) & (share < 1.0)):
        found[j] = _most_likely_share(probability[:, j], float(share[j]), pseudo_positives)
    return found


def with_shares(probability: Array, share: Array, shifted: Array) -> Array:
    """Return the probabilities that hold for other shares of positive documents, by Bayes' rule.

    >>> with_shares(np.array([[0.5]]), np.array([0.5]), np.array([0.2]))
    array([[0.2]])
    """
    safe = (share > 0.0) & (share < 1.0)
    inside = np.where(safe, share, 0.5)
    positive = np.where(safe, shifted / inside, 1.0)
    negative = np.where(safe, (1.0 - shifted) / (1.0 - inside), 1.0)
    weighted = probability * positive
    return np.asarray(weighted / (weighted + (1.0 - probability) * negative))


def _most_likely_share(p: Array, share: float, pseudo_positives: float) -> float:
    """Return the maximum by Newton's method, inside an interval that each step makes smaller."""
    positive, negative = p / share, (1.0 - p) / (1.0 - share)
    difference = positive - negative
    pseudo_negatives = pseudo_positives * (1.0 - share) / share
    low, high, q = _EDGE, 1.0 - _EDGE, share
    for _ in range(_STEPS):
        ratio = difference / (negative + q * difference)
        slope = ratio.sum() + pseudo_positives / q - pseudo_negatives / (1.0 - q)
        if slope > 0.0:
            low = q
        else:
            high = q
        curvature = ratio @ ratio + pseudo_positives / q**2 + pseudo_negatives / (1.0 - q) ** 2
        step = q + slope / curvature if curvature > 0.0 else q
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - q) <= _TOLERANCE * q:
            return float(step)
        q = step
    return float(q)
