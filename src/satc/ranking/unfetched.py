"""An upper bound on the utility of documents that have not been fetched.

Corrections change the gains, and the gains change the utility of every document, fetched or not.
When the whole set was last ranked, every unfetched document had a utility (the sum of
P(error) x gain) of at most U, the utility of the best of them. Under the new gains, the utility of
a document is largest if its error probabilities belong to the classes whose gains have risen most.
The largest possible value is the solution of a fractional knapsack problem with the budget U: the
classes are filled in the order of the ratio of new to old gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.gains import Gains

LARGEST_LOGISTIC = 0.5  # the largest P(error) if the sign of the score decides
LARGEST_IN_CONTEXT = 1.0
_SLACK = 1e-9  # relative; more than the rounding errors of a sum


def places(ids: Sequence[Any]) -> NDArray[np.int64]:
    """Return the position of every id in the sorted list of ids, to decide ties by id.

    >>> places(["d", "b", "c"]).tolist()
    [2, 0, 1]
    """
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return ranks


@dataclass(frozen=True, eq=False)
class UnfetchedBound:
    """The best unfetched document when the whole set was last ranked.

    Attributes
    ----------
    utility : float
        Its utility, the largest among the unfetched; minus infinity if all are fetched.
    gains : Gains
        The gains of that ranking, one pair per class.
    largest_error : float
        The largest value that P(error) can have.
    first : str or int, optional
        Its id.
    """

    utility: float
    gains: Gains
    largest_error: float
    first: Any = None

    def may_beat(self, utility: float, gains: Gains, identity: Any = None) -> bool:
        """Whether an unfetched document could now rank before one with this utility and this id.

        If the gains have not changed, the best unfetched document is known, so that ties can be
        decided: the smaller id comes first.
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
        free = (
            had <= 0
        )  # with a gain of 0, the probability did not contribute to U, so it can be anything
        factor = gets[~free] / had[~free]
        largest_first = np.argsort(-factor)
        spent = np.cumsum(had[~free][largest_first])
        taken = np.diff(np.minimum(spent, budget), prepend=0.0)
        return float(gets[free].sum() + taken @ factor[largest_first])
