"""The levels of an opinion: its distinct values if they are few, otherwise bins."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_MOST_VALUES = 20
TENTHS = tuple(k / 10 for k in range(1, 10))  # bins of equal size
UPPER_TAIL = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999)  # labels are rare
_SAMPLE = 200_000  # values from which the levels are found


class Levels:
    """Numbers as levels 0, 1, ..., in increasing order.

    Parameters
    ----------
    quantiles : sequence of floats
        The limits of the bins, where there are many values.

    Examples
    --------
    >>> levels = Levels().fit(np.array([[-1.0, 1.0], [1.0, 1.0]]))
    >>> levels.of(np.array([[1.0, -1.0]])).tolist(), levels.n_levels
    ([[1, 0]], 2)
    """

    def __init__(self, quantiles: tuple[float, ...] = TENTHS) -> None:
        self.quantiles = quantiles

    def fit(self, values: Array) -> Self:
        """Find the levels."""
        flat = values.ravel()
        some = flat[:: max(1, len(flat) // _SAMPLE)]
        distinct = np.unique(some)
        if len(distinct) > _MOST_VALUES:
            self.edges = np.unique(np.quantile(some, self.quantiles))
        else:
            self.edges = 0.5 * (distinct[1:] + distinct[:-1])
        return self

    @property
    def n_levels(self) -> int:
        """How many levels there are."""
        return len(self.edges) + 1

    def of(self, values: Array) -> NDArray[np.int64]:
        """Return the level of each value."""
        return np.searchsorted(self.edges, values, side="right").astype(np.int64)
