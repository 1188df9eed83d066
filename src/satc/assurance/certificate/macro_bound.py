"""From a bound on the errors to a bound on macro-F1.

Let a class have L labels at present, u of them assigned by the classifier and not checked. Then e
errors lower the F1 of the class by at most e / d, where d = 2L - u. With m classes, an error that
weighs 1 / (m d) therefore accounts for its effect on macro-F1, and one bounded total covers all
classes. The weights are fixed when the audit starts. Classes so rare that one error would weigh
too much are *conceded*: their F1 counts as 0, and their errors have weight 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_AUDITED_SHARE = 0.25  # the concession is best if this share of the unread documents is audited


def macro_weights(support: Array, most_errors: int, error: float) -> Array:
    """Return the weight of an error in each class, 0 for conceded classes.

    If w is the largest weight, the bound is about ``most_errors * w * log(1 / error) / share``
    below 1 even if an audit of this share finds no error. The number of conceded classes minimises
    the sum of that loss and of the F1 that is conceded.

    >>> macro_weights(np.array([100.0, 50.0, 0.0]), most_errors=2, error=0.05).round(4)
    array([0.0033, 0.0067, 0.    ])
    """
    m = len(support)
    needed = np.maximum(support, 1.0)
    thresholds = np.unique(needed)
    conceded = np.searchsorted(np.sort(needed), thresholds) / m
    lacking = -most_errors * np.log(error) / (_AUDITED_SHARE * m * thresholds)
    best = int(np.argmin(conceded + lacking))
    if conceded[best] + lacking[best] >= 1.0:
        return np.zeros(m)
    return np.where(needed >= thresholds[best], 1.0 / (m * needed), 0.0)


def macro_lowest(weights: Array, support: Array, errors: float) -> float:
    """Return the lowest macro-F1 that is possible with at most these weighted errors.

    In the worst case the errors are in the classes that lose most F1 per unit of weight, until the
    F1 of each such class is 0.

    >>> round(macro_lowest(np.array([0.005, 0.01]), np.array([100.0, 50.0]), 0.2), 3)
    0.8
    """
    covered = weights > 0
    price = np.sort(weights[covered] * np.maximum(support[covered], 1.0))
    spent = np.concatenate([[0.0], np.cumsum(price)])
    lost = float(np.interp(errors, spent, np.arange(len(spent))))
    return float((covered.sum() - lost) / len(weights))
