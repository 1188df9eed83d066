"""What a wrong action costs, and what a reviewer costs.

A document is *produced* (handed to the other side) if it is responsive and not privileged, *logged*
(listed as privileged) if it is both, and *withheld* if it is not responsive. Each pair of the
action that was taken and the right one has a cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ACTIONS = ("produce", "log", "withhold")
PRODUCE, LOG, WITHHOLD = range(3)
# The first cost structure in the published code of MINECORE's successors: to produce a privileged
# document is by far the worst error.
ERRORS = ((0.0, 600.0, 5.0), (150.0, 0.0, 3.0), (15.0, 15.0, 0.0))
PRICES = (1.0, 5.0)  # of reading a document: for responsiveness, and for privilege


class CostOfReview(NamedTuple):
    """The two parts of the cost of a review, and their sum."""

    annotation: float  # paid to reviewers
    misclassification: float  # of actions that are, or are expected to be, wrong

    @property
    def total(self) -> float:
        """Annotation and misclassification together."""
        return self.annotation + self.misclassification


@dataclass(frozen=True, eq=False)
class ReviewCosts:
    """The costs of errors and the prices of reviewers.

    Attributes
    ----------
    errors : array of shape (3, 3)
        The cost of each action (row) where each action would be right (column), in the order of
        ``ACTIONS``: produce, log, withhold. The diagonal is 0.
    responsiveness, privilege : float
        The price of reading one document for responsiveness, and for privilege.
    """

    errors: Array
    responsiveness: float
    privilege: float

    @classmethod
    def of(cls, errors: Any = ERRORS, prices: Any = PRICES) -> ReviewCosts:
        """Check costs and prices.

        Parameters
        ----------
        errors : array of shape (3, 3), or mapping from (action, right action) to a cost
            A mapping may leave out pairs, which then cost nothing.
        prices : pair of numbers
            For responsiveness and for privilege.

        Examples
        --------
        >>> ReviewCosts.of({("produce", "log"): 100, ("withhold", "produce"): 10}).errors
        array([[  0., 100.,   0.],
               [  0.,   0.,   0.],
               [ 10.,   0.,   0.]])
        """
        matrix = _from_names(errors) if isinstance(errors, Mapping) else _matrix(errors)
        _check_matrix(matrix)
        return cls(matrix, *_checked_prices(prices))


def _from_names(errors: Mapping[Any, Any]) -> Array:
    matrix = np.zeros((3, 3))
    for pair, cost in errors.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and set(pair) <= set(ACTIONS)):
            raise ValueError(
                f"costs must name pairs of {', '.join(ACTIONS)}, as in ('produce', 'log'), "
                f"but name {pair!r}"
            )
        matrix[ACTIONS.index(pair[0]), ACTIONS.index(pair[1])] = cost
    return matrix


def _matrix(errors: Any) -> Array:
    try:
        matrix = np.array(errors, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape != (3, 3):
        raise ValueError(
            "costs must have a row and a column for each of produce, log and withhold, "
            f"but are {errors!r}"
        )
    return matrix


def _check_matrix(matrix: Array) -> None:
    if not (np.isfinite(matrix).all() and (matrix >= 0.0).all()):
        raise ValueError(f"costs must be finite numbers from 0 up, but are {matrix.tolist()}")
    if np.diagonal(matrix).any():
        raise ValueError(
            "costs must be 0 on the diagonal, where the action is right, but have "
            f"{np.diagonal(matrix).tolist()} there"
        )


def _checked_prices(prices: Any) -> tuple[float, float]:
    try:
        junior, senior = map(float, prices)
    except (TypeError, ValueError):
        raise ValueError(
            "prices must be two numbers, for responsiveness and for privilege, as in (1, 5), "
            f"but are {prices!r}"
        ) from None
    if not (0.0 <= junior < np.inf and 0.0 <= senior < np.inf):
        raise ValueError(f"prices must be finite numbers from 0 up, but are {prices!r}")
    return junior, senior
