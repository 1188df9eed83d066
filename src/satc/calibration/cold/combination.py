"""Combine a classifier's scores with further opinions on the same documents.

The combination is a weighted mean. At first all weigh the same. The decisions of people then say
what each is worth: the weights are those of a logistic regression on the decided pairs of document
and class, with a prior that keeps them near each other while decisions are few.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from satc.calibration.platt import expit
from satc.inputs import Labels

Array = NDArray[np.float64]

_PRECISION = 5.0  # inverse prior variance of the weights around their mean, twice
_LEAST_WEIGHT = 0.05  # of each, so that all are always heard
_TINY = 1e-300


def combination_weights(parts: list[Array], labels: Labels) -> Array:
    """Return the weights of scores and opinions, which sum to 1, from decided documents.

    >>> scores = np.array([[1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]] * 10)
    >>> labels = scores > 0
    >>> weights = combination_weights([scores, -scores], labels)
    >>> weights.round(2).tolist()
    [0.95, 0.05]
    """
    table = np.column_stack([*(part.ravel() for part in parts), np.ones(labels.size)])
    target = labels.ravel().astype(np.float64)
    start = np.append(np.ones(len(parts)), -1.0)
    found = scipy.optimize.minimize(
        _loss, start, args=(table, target), jac=True, method="L-BFGS-B"
    ).x[:-1]
    share = np.maximum(found, 0.0) + _TINY
    share /= share.sum()
    few = share < _LEAST_WEIGHT
    share[few] = _LEAST_WEIGHT
    share[~few] *= (1.0 - share[few].sum()) / share[~few].sum()
    return np.asarray(share)


def _loss(line: Array, table: Array, target: Array) -> tuple[float, Array]:
    """Return the penalised log-loss of a plane through scores and opinions, and its gradient."""
    probability = expit(table @ line)
    residual = probability - target
    difference = line[:-1] - line[:-1].mean()
    value = -float(np.log(np.maximum(1.0 - np.abs(residual), _TINY)).sum())
    gradient = residual @ table
    gradient[:-1] += 2.0 * _PRECISION * difference
    return value + _PRECISION * float(difference @ difference), gradient
