"""Macro-F1 from one weighted total of errors.

With L labels of a class as they stand, u of them by the classifier alone, e errors cost the class
at most e / d of its F1, where d = 2L - u. So the sum over classes and errors of 1 / (m d) bounds
what macro-F1 lacks, and one bounded total serves all classes, without a bound for each. Weights
are fixed when the audit starts. Classes so rare that one error would weigh too much are *conceded*:
their F1 counts as 0, and their errors weigh nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_AUDITED_SHARE = 0.25  # of the unread documents, for which the concession is chosen


def macro_weights(support: Array, most_errors: int, error: float) -> Array:
    """Weigh an error of each class, 0 for conceded classes; chosen before the audit.

    If w is the largest weight, the bound lacks about ``most_errors * w * log(1 / error) / share``
    even where an audit of this share finds no error. The concession is where that and the classes
    conceded cost least.

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
    """Return the lowest macro-F1 with these weighted errors at most.

    The errors fall where they hurt most: into the classes that lose most F1 for their weight, until
    each has none left.

    >>> round(macro_lowest(np.array([0.005, 0.01]), np.array([100.0, 50.0]), 0.2), 3)
    0.8
    """
    covered = weights > 0
    price = np.sort(weights[covered] * np.maximum(support[covered], 1.0))
    spent = np.concatenate([[0.0], np.cumsum(price)])
    lost = float(np.interp(errors, spent, np.arange(len(spent))))
    return float((covered.sum() - lost) / len(weights))
