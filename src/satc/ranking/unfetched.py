"""A bound on the utility of documents that have not been fetched.

Corrections change the gains, and with them the utility of every document, fetched or not. When the
whole set was last ranked, no unfetched document had a utility U = sum of P(error) x gain above that
of the best of them. Under other gains its utility is largest if its probabilities belong to the
classes whose gains have risen most. How large it can be is a fractional knapsack: of all
probabilities that can add up to U, those of the largest rise come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.gains import Gains

LARGEST_LOGISTIC = 0.5  # the largest P(error) of a decision by the sign of the score
LARGEST_IN_CONTEXT = 1.0
_SLACK = 1e-9  # relative: more than two ways of summing can differ by


def places(ids: Sequence[Any]) -> NDArray[np.int64]:
    """Return the place of every id in their order: among equals the smaller id comes first.

    >>> places(["d", "b", "c"]).tolist()
    [2, 0, 1]
    """
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return ranks


@dataclass(frozen=True, eq=False)
class UnfetchedBound:
    """What was known of the unfetched documents when the whole set was last ranked.

    Attributes
    ----------
    utility : float
        The largest utility among them; minus infinity where there are none.
    gains : Gains
        The gains of that ranking, class by class.
    largest_error : float
        The largest value that P(error) can have.
    first : str or int, optional
        The id of the best one.
    """

    utility: float
    gains: Gains
    largest_error: float
    first: Any = None

    def may_beat(self, utility: float, gains: Gains, identity: Any = None) -> bool:
        """Whether an unfetched document could now come before one of this utility and this id.

        While the gains have not changed, the best of them is known: among equals the smaller id
        comes first.
        """
        bound = self.bound(gains)
        if bound == -np.inf or utility > bound + _SLACK * abs(bound):
            return False
        unchanged = np.allclose(self.gains, gains, rtol=_SLACK, atol=0.0)
        if unchanged and self.first is not None and identity is not None:
            return bool(utility < bound - _SLACK * abs(bound) or self.first < identity)
        return True

    def bound(self, gains: Gains) -> float:
        """Return an upper bound on the utility of an unfetched document under these gains.

        >>> then = Gains(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
        >>> now = Gains(np.array([3.0, 2.0]), np.array([1.0, 2.0]))
        >>> unfetched = UnfetchedBound(0.8, then, largest_error=0.5)
        >>> unfetched.bound(then), round(unfetched.bound(now), 3)
        (0.8, 1.8)
        """
        if not np.isfinite(self.utility):
            return self.utility
        before, after = np.concatenate(self.gains), np.concatenate(gains)
        largest = self.largest_error
        had, gets = np.maximum(before, 0.0) * largest, np.maximum(after, 0.0) * largest
        budget = self.utility + largest * float(np.maximum(-before, 0.0).sum())
        free = had <= 0  # a gain of 0 did not count, so its probability can be anything
        factor = gets[~free] / had[~free]
        largest_first = np.argsort(-factor)
        spent = np.cumsum(had[~free][largest_first])
        taken = np.diff(np.minimum(spent, budget), prepend=0.0)
        return float(gets[free].sum() + taken @ factor[largest_first])
