"""What a correction is worth and what reading costs: weights of classes and errors, reading costs.

A class can matter more than others, a missing label can cost more than a wrong one, and a long
document takes longer to read than a short one. The first two multiply what a correction of the
class brings, the last divides what a document brings: the ranking is then one of gain per
minute. They weigh the utilities, not the measure that is estimated and evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.gains import Gains
from satc.inputs import Scores
from satc.ranking.misclassification import GivenMisclassification, Misclassification

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Worth:
    """Factors of the contributions to a document's utility."""

    fp: Array  # per class
    fn: Array
    cost: Array  # per document

    def of_classes(self, decided: NDArray[np.bool_]) -> Array:
        """Return the factor of every decision."""
        return np.where(decided, self.fp, self.fn)

    def of_documents(self, n: int) -> Worth:
        """Return the same weights of classes, for so many documents of cost 1."""
        return Worth(self.fp, self.fn, np.ones(n))

    def gains(self, gains: Gains) -> Gains:
        """Return what corrections are worth, class by class."""
        return Gains(gains.fp * self.fp, gains.fn * self.fn)

    def weighed(self, errors: Misclassification, scores: Scores) -> GivenMisclassification:
        """Weigh the probabilities of misclassification: utilities are linear in them."""
        decided = scores >= 0
        weighed = errors.of_documents(slice(None)) * self.of_classes(decided)
        weighed /= self.cost[:, np.newaxis]
        return GivenMisclassification(np.where(decided, weighed, -weighed))


def parse_worth(
    shape: tuple[int, int], class_weights: Any, costs: Any, error_costs: Any
) -> Worth | None:
    """Check the weights; None where all are 1.

    Parameters
    ----------
    shape : documents x classes
    class_weights : one number per class, or None
    costs : one number per document, or None
    error_costs : what a false positive and a false negative cost, numbers or one per class
    """
    if class_weights is None and costs is None and error_costs is None:
        return None
    n, m = shape
    weights = _vector(class_weights, m, "class_weights", "class")
    fp = fn = np.ones(m)
    if error_costs is not None:
        try:
            first, second = error_costs
        except (TypeError, ValueError):
            raise ValueError(
                "error_costs must be a pair, what a false positive and a false negative cost, "
                f"but is {error_costs!r}"
            ) from None
        fp, fn = (_vector(side, m, "error_costs", "class") for side in (first, second))
    cost = _vector(costs, n, "costs", "document")
    if not cost.all():
        raise ValueError(f"costs must be above 0, but costs[{int(cost.argmin())}] is 0")
    return Worth(weights * fp, weights * fn, cost)


def _vector(value: Any, size: int, name: str, what: str) -> Array:
    if value is None:
        return np.ones(size)
    try:
        vector = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must hold numbers: {error}") from error
    if vector.ndim == 0:
        vector = np.full(size, float(vector))
    if vector.shape != (size,):
        raise ValueError(
            f"{name} must have one number per {what}, {size}, but has shape {vector.shape}"
        )
    if not np.isfinite(vector).all() or (vector < 0).any():
        raise ValueError(f"{name} must be finite and 0 or more, but hold {vector.min():g}")
    return vector
