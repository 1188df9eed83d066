"""Weights of classes and errors, and costs of reading.

A class can be more important than others, a missing label can cost more than a wrong one, and a
long document takes longer to read than a short one. The weights of classes and errors multiply the
gain of a correction. The cost of reading divides the utility of a document, so that documents are
ranked by gain per minute. Weights change the utilities, not the measure that is estimated and
evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.decisions import Costs
from satc.gains import Gains
from satc.inputs import Labels, refuse_masked
from satc.ranking.misclassification import GivenMisclassification, Misclassification

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of classes, and costs of a false positive and of a false negative, per class."""

    classes: Array
    fp_costs: Array
    fn_costs: Array

    @property
    def fp(self) -> Array:
        """The weight of the correction of a false positive."""
        return self.classes * self.fp_costs

    @property
    def fn(self) -> Array:
        """The weight of the correction of a false negative."""
        return self.classes * self.fn_costs

    @property
    def costs(self) -> Costs:
        """The weights in the form that `satc.decisions.choose` takes."""
        return Costs(self.classes, self.fp_costs, self.fn_costs)

    def of_decisions(self, decided: Labels) -> Array:
        """Return the weight of every decision."""
        return np.where(decided, self.fp, self.fn)

    def gains(self, gains: Gains) -> Gains:
        """Return weighted gains."""
        return Gains(gains.fp * self.fp, gains.fn * self.fn)

    def weighted(
        self, errors: Misclassification, decided: Labels, costs: Array | None = None
    ) -> GivenMisclassification:
        """Multiply the error probabilities by the weights; utilities are linear in them."""
        with np.errstate(over="ignore"):  # utilities are checked
            weighted = errors.of_documents(slice(None)) * self.of_decisions(decided)
            if costs is not None:
                weighted /= costs[:, np.newaxis]
        return GivenMisclassification(np.where(decided, weighted, -weighted))


def unweighted(n_classes: int) -> Weights:
    """Return weights of 1."""
    return Weights(*(np.ones(n_classes) for _ in range(3)))


def parse_weights(n_classes: int, class_weights: Any, error_costs: Any) -> Weights | None:
    """Check the weights; return None if none are given.

    Parameters
    ----------
    n_classes : int
    class_weights : one number per class, or None
    error_costs : the costs of a false positive and of a false negative, numbers or one per class
    """
    if class_weights is None and error_costs is None:
        return None
    weights = _vector(class_weights, n_classes, "class_weights", "class")
    fp = fn = np.ones(n_classes)
    if error_costs is not None:
        try:
            first, second = error_costs
        except (TypeError, ValueError):
            raise ValueError(
                "error_costs must be a pair, the costs of a false positive and a false negative, "
                f"but is {error_costs!r}"
            ) from None
        fp, fn = (_vector(side, n_classes, "error_costs", "class") for side in (first, second))
    return Weights(weights, fp, fn)


def refuse_weights(weights: Weights | None, method: str) -> None:
    """Refuse weights that are not all 1, because the method does not sum over classes."""
    if weights is None:
        return
    costs = np.concatenate([weights.fp_costs, weights.fn_costs])
    for name, given in (("class_weights", weights.classes), ("error_costs", costs)):
        if (given != 1.0).any():
            raise ValueError(
                f"{name} must be left out for method {method!r}, whose utility is not a sum over "
                "the classes; the methods contextual, u-theoretic and baseline take them"
            )


def parse_costs(n_documents: int, costs: Any) -> Array | None:
    """Check the costs of reading the documents; return None if none are given."""
    if costs is None:
        return None
    cost = _vector(costs, n_documents, "costs", "document")
    if not cost.all():
        raise ValueError(f"costs must be above 0, but costs[{int(cost.argmin())}] is 0")
    return cost


def _vector(value: Any, size: int, name: str, what: str) -> Array:
    if value is None:
        return np.ones(size)
    refuse_masked(value, name)
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
    refused = ~np.isfinite(vector) | (vector < 0)
    if refused.any():
        raise ValueError(f"{name} must be finite and 0 or more, but hold {vector[refused][0]:g}")
    return vector
