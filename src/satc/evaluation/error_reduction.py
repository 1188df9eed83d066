"""Error reduction at rank, its normalised form, and its expectation ENER (Section 5).

The input is an order of documents, no matter which ranker made it. The order is evaluated by the
effect of the corrections when documents are validated in this order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.arrays.frames import column_names, common_names, in_order
from satc.decisions import by_sign
from satc.evaluation.residual import Drops, drops
from satc.evaluation.stopping import persistence, reach
from satc.inputs import as_labels, as_scores, check_same_shape
from satc.measures import Measure, parse

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ErrorReduction:
    """The error reduction of one order, as curves and as one number.

    If the classifier made no error, ER(n) is defined as n/|Te|, as for the random ranker, so that
    NER and ENER are 0.
    """

    drops: Drops

    @cached_property
    def residual_error(self) -> Array:
        """E(n) for n = 0, ..., |Te|: from the error of the classifier down to 0."""
        return self.drops.residual_error()

    @cached_property
    def er(self) -> Array:
        """ER(n) = (E(0) - E(n)) / E(0), from 0 to 1 (Equation 10)."""
        residual = self.residual_error
        if residual[0] == 0:
            return self.random
        return (residual[0] - residual) / residual[0]

    @cached_property
    def random(self) -> Array:
        """Expected ER(n) of the random ranker: n / |Te|."""
        return np.arange(self.drops.n_documents + 1) / self.drops.n_documents

    @cached_property
    def ner(self) -> Array:
        """NER(n) = ER(n) - n / |Te| (Section 5.2)."""
        return self.er - self.random

    def ener(self, xi: float = 0.10, *, class_wise: bool = False) -> float:
        """Return the expected normalised error reduction (Equation 11).

        Parameters
        ----------
        xi : float
            The expected fraction of the documents that the annotator validates.
        class_wise : bool
            Return the mean of the reductions of the classes that have an error, instead of the
            reduction of the mean error (macro only; point 2 of the errata).
        """
        if class_wise:
            values = self.class_ener(xi)
            return float(np.nanmean(values)) if np.isfinite(values).any() else 0.0
        weights = self._reach(xi)
        total = self.residual_error[0]
        if total == 0:
            return 0.0
        steps = np.diff(self.er)
        return float(np.dot(steps, weights) - weights.mean())

    def class_ener(self, xi: float = 0.10) -> Array:
        """Return the ENER of each class; NaN for a class without an error."""
        if self.drops.average != "macro":
            raise ValueError("class-wise values need average='macro', but average is 'micro'")
        weights = self._reach(xi)
        initial = self.drops.by_class()
        gained = self.drops.by_class(weights)
        some = initial != 0
        return np.where(some, gained / np.where(some, initial, 1.0) - weights.mean(), np.nan)

    def _reach(self, xi: float) -> Array:
        """Return the weights of the ranks: the probability that the annotator reaches rank n."""
        n = self.drops.n_documents
        return reach(persistence(xi, n), n)


def error_reduction(
    order: Any,
    scores: Any,
    y_true: Any,
    *,
    measure: str | Measure = "f1",
    average: str = "macro",
    labels: Any = None,
) -> ErrorReduction:
    """Evaluate an order of documents.

    Parameters
    ----------
    order : int array
        The indices of all documents, in the order of validation.
    scores : array of shape (n_documents, n_classes)
        The scores of the classifier; only their signs matter.
    y_true : array of the same shape
        The true labels, 0/1.
    measure, average
        The measure, and how it is averaged over classes.
    labels : array of the same shape, optional
        The labels that are validated, 0/1; by default, those that the signs of the scores say.

    Examples
    --------
    >>> reduction = error_reduction([1, 0, 2], [[1.0], [-1.0], [-1.0]], [[1], [1], [0]])
    >>> reduction.er
    array([0., 1., 1., 1.])
    """
    names = common_names(map(column_names, (scores, y_true, labels)))
    scores = as_scores(in_order(scores, names, "scores"), "scores")
    truth = as_labels(in_order(y_true, names, "y_true"), "y_true")
    check_same_shape(scores=scores, y_true=truth)
    labels = in_order(labels, names, "labels")
    decided = by_sign(scores) if labels is None else as_labels(labels, "labels")
    check_same_shape(scores=scores, labels=decided)
    order = as_order(order, len(scores))
    return ErrorReduction(drops(order, decided, truth, parse(measure), average))


def expected_reduction(curve: Array, xi: float) -> float:
    """Return the ENER of a curve of error reduction, which need not start at 0 (Equation 11).

    >>> expected_reduction(np.array([0.0, 0.5, 1.0]), 0.5)  # a random order
    0.0
    """
    n = len(curve) - 1
    weights = reach(persistence(xi, n), n)
    return float(curve[0] + np.dot(np.diff(curve), weights) - weights.mean())


def as_order(order: Any, n_documents: int) -> NDArray[np.int64]:
    """Return the order as an array, checked to contain every document once."""
    array = np.asarray(order)
    if array.shape != (n_documents,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"order must hold the {n_documents} document indices, but is {array.dtype} "
            f"of shape {array.shape}"
        )
    if not np.array_equal(np.sort(array), np.arange(n_documents)):
        raise ValueError(f"order must hold each of 0, ..., {n_documents - 1} once, but does not")
    return array.astype(np.int64)
