"""A paired t-test of the difference between two methods (Table 3 of the paper).

The pairs are the classes of one test set, or several test sets. A class without an error gives no
information about the methods and is left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy


class TTest(NamedTuple):
    """The result of a paired t-test."""

    mean_difference: float  # of the first method minus the second
    statistic: float
    p_value: float
    n_pairs: int

    def significant(self, level: float = 0.05) -> bool:
        """Return whether the two methods differ at this significance level."""
        return self.p_value < level


def paired_t_test(first: Any, second: Any) -> TTest:
    """Compare two methods over the same classes or the same test sets.

    Pairs with a NaN are left out. If all differences are 0, the p-value is 1.

    >>> paired_t_test([0.5, 0.6, 0.7], [0.4, 0.6, 0.5]).n_pairs
    3
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"first and second must be vectors of one length, but have {a.shape} and {b.shape}"
        )
    both = np.isfinite(a) & np.isfinite(b)
    a, b = a[both], b[both]
    if len(a) < 2:
        raise ValueError(f"a t-test needs two pairs of finite values or more, but has {len(a)}")
    difference = a - b
    if np.ptp(difference) == 0:
        constant = float(difference[0])
        statistic = 0.0 if constant == 0 else float(np.copysign(np.inf, constant))
        return TTest(constant, statistic, 1.0 if constant == 0 else 0.0, len(a))
    test = scipy.stats.ttest_rel(a, b)
    return TTest(float(difference.mean()), float(test.statistic), float(test.pvalue), len(a))
