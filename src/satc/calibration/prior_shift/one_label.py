"""The share of each class where every document has exactly one label, by the EM algorithm.

Expected labels under the present shares give the next shares (Saerens et al. 2002). Rare classes
are damped: the shares q have a prior distribution that is as if `pseudo_positives` further
documents of every class had been seen. With c the expected documents of a class and pi its share in
training,

    q = (c + pseudo_positives) / (v + pseudo_positives / pi),

where v makes the shares sum to 1; without damping, it is the number of documents. The corrected
probabilities are those of the shares that are returned; QuaPy's EMQ returns the probabilities of
the step before.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]

TOLERANCE = 1e-9  # mean change of the shares, relative to 1, at which the algorithm stops
MAX_STEPS = 1000
_FIRST_STEPS = 10  # the change is not looked at before


def shifted_class_shares(
    probability: Array,
    share: Array,
    pseudo_positives: float = 0.0,
    *,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
) -> Array:
    """Return the share of documents of each class, estimated from their probabilities.

    Parameters
    ----------
    probability : array of shape (n_documents, n_classes)
        Calibrated probabilities that sum to 1 in each row.
    share : array of shape (n_classes,)
        The share of documents of each class in training. Where it is 0, it stays.
    pseudo_positives : float
        The weight of the share in training; 0 gives the estimate of Saerens et al.
    tolerance : float
        The mean change of the shares at which the algorithm stops.
    max_steps : int
        The largest number of steps.

    Examples
    --------
    >>> probability = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])
    >>> shifted_class_shares(probability, np.array([0.5, 0.5])).round(3)
    array([0.812, 0.188])
    """
    known = share > 0.0
    pi = share[known] / share[known].sum()
    likelihood = probability[:, known] / pi
    q = pi
    for step in range(max_steps):
        expected = likelihood * q
        expected /= expected.sum(axis=1, keepdims=True)
        previous, q = q, _damped_shares(expected.sum(axis=0), pi, pseudo_positives)
        if step > _FIRST_STEPS and np.abs(q - previous).mean() < tolerance:
            break
    found = np.zeros(len(share))
    found[known] = q
    return found


def with_class_shares(probability: Array, share: Array, shifted: Array) -> Array:
    """Return the probabilities that hold for other shares of the classes, by Bayes' rule.

    >>> with_class_shares(np.array([[0.5, 0.5]]), np.array([0.5, 0.5]), np.array([0.8, 0.2]))
    array([[0.8, 0.2]])
    """
    known = share > 0.0
    weighted = probability * np.where(known, shifted / np.where(known, share, 1.0), 1.0)
    return np.asarray(weighted / weighted.sum(axis=1, keepdims=True))


def _damped_shares(counts: Array, share: Array, pseudo_positives: float) -> Array:
    """Return the next shares: counts with pseudo-counts, which sum to 1."""
    if pseudo_positives == 0.0:
        return np.asarray(counts / counts.sum())
    above, below = counts + pseudo_positives, pseudo_positives / share

    def excess(v: float) -> float:
        return float((above / (v + below)).sum()) - 1.0

    # At v = -min(below) one share is infinite; at v = sum(above) all shares together are below 1.
    low, high = -float(below.min()), float(above.sum())
    v = scipy.optimize.brentq(excess, low + 1e-9 * (high - low), high, xtol=1e-12, rtol=1e-14)
    found = above / (v + below)
    return np.asarray(found / found.sum())
