"""What is known of the documents that are not held: what the best of them was worth at a look.

Corrections change the gains, and with them the utility of every document, seen or not. A document
outside had U = sum of P(error) x gain, not above that of the best; under other gains it is worth
most if its probabilities sit where gains have risen most. How far that can go is a knapsack:
of all probabilities that could have made up the utility, those of the largest rise come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.gains import Gains

LOGISTIC_MOST = 0.5  # P(error) of a decision that goes by the sign of the score
CONTEXT_MOST = 1.0
_SLACK = 1e-9  # relative; what two ways of summing may differ by, and more


def places(ids: Sequence[Any]) -> NDArray[np.int64]:
    """Return the place of every id in their order: among equals the smaller id comes first.

    >>> places(["d", "b", "c"]).tolist()
    [2, 0, 1]
    """
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return ranks


@dataclass(frozen=True, eq=False)
class Outside:
    """The documents outside, at the last look.

    Attributes
    ----------
    utility : float
        What none of them was above; minus infinity where there are none.
    gains : Gains
        What corrections were worth then, class by class.
    most : float
        What P(error) is never above.
    first : str or int, optional
        The id of the best one.
    """

    utility: float
    gains: Gains
    most: float
    first: Any = None

    def may_beat(self, utility: float, gains: Gains, identity: Any = None) -> bool:
        """Whether one of them could now come before a document of this utility and this id.

        As long as the gains are those of the look, it is known which of them is the best: among
        equals the smaller id comes first.
        """
        bound = self.bound(gains)
        if bound == -np.inf or utility > bound + _SLACK * abs(bound):
            return False
        unchanged = np.allclose(self.gains, gains, rtol=_SLACK, atol=0.0)
        if unchanged and self.first is not None and identity is not None:
            return bool(utility < bound - _SLACK * abs(bound) or self.first < identity)
        return True

    def bound(self, gains: Gains) -> float:
        """Return what no document outside can be above, when corrections are worth this.

        >>> then = Gains(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
        >>> now = Gains(np.array([3.0, 2.0]), np.array([1.0, 2.0]))
        >>> outside = Outside(0.8, then, most=0.5)
        >>> outside.bound(then), round(outside.bound(now), 3)
        (0.8, 1.8)
        """
        if not np.isfinite(self.utility):
            return self.utility
        before, after = np.concatenate(self.gains), np.concatenate(gains)
        had, gets = np.maximum(before, 0.0) * self.most, np.maximum(after, 0.0) * self.most
        budget = self.utility + self.most * float(np.maximum(-before, 0.0).sum())
        free = had <= 0  # what was worth nothing may have been there all along
        factor = gets[~free] / had[~free]
        largest_first = np.argsort(-factor)
        spent = np.cumsum(had[~free][largest_first])
        taken = np.diff(np.minimum(spent, budget), prepend=0.0)
        return float(gets[free].sum() + taken @ factor[largest_first])
