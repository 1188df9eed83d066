"""Combine a classifier's scores with a second opinion on the same documents.

The combination is a weighted mean. At first both weigh the same. The decisions of people then say
what each is worth: the weights are those of a logistic regression on the decided pairs of document
and class, with a prior that keeps them near each other while decisions are few.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from satc.calibration.platt import expit
from satc.inputs import Labels

Array = NDArray[np.float64]

_PRECISION = 5.0  # inverse prior variance of the difference of the weights
_LEAST_WEIGHT = 0.05  # of either, so that both are always heard
_START = np.array([1.0, 1.0, -1.0])
_TINY = 1e-300


def combination_weights(scores: Array, opinion: Array, labels: Labels) -> Array:
    """Return the weights of scores and opinion, which sum to 1, from decided documents.

    >>> scores = np.array([[1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]] * 10)
    >>> labels = scores > 0
    >>> weights = combination_weights(scores, -scores, labels)
    >>> weights.round(2).tolist()
    [0.95, 0.05]
    """
    table = np.column_stack([scores.ravel(), opinion.ravel(), np.ones(scores.size)])
    target = labels.ravel().astype(np.float64)
    found = minimize(_loss, _START, args=(table, target), jac=True, method="L-BFGS-B").x[:2]
    share = np.maximum(found, 0.0) + _TINY
    first = float(np.clip(share[0] / share.sum(), _LEAST_WEIGHT, 1.0 - _LEAST_WEIGHT))
    return np.array([first, 1.0 - first])


def _loss(line: Array, table: Array, target: Array) -> tuple[float, Array]:
    """Return the penalised log-loss of a line through scores and opinion, and its gradient."""
    probability = expit(table @ line)
    residual = probability - target
    difference = line[0] - line[1]
    value = -float(np.log(np.maximum(1.0 - np.abs(residual), _TINY)).sum())
    gradient = residual @ table
    gradient[:2] += _PRECISION * difference * np.array([1.0, -1.0])
    return value + 0.5 * _PRECISION * difference**2, gradient
