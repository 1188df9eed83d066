"""The documents that a ranking model is applied to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.decisions import Decided
from satc.inputs import SINGLE_LABEL, Labels, Scores
from satc.ranking.misclassification import (
    GivenMisclassification,
    Misclassification,
    positive_decisions,
)
from satc.ranking.model import RankingModel, require_training
from satc.ranking.rivals.predicted import Predicted
from satc.ranking.weights import unweighted

Array = NDArray[np.float64]
Places = NDArray[np.int64]

_BLOCK = 1 << 20  # pairs of documents and classes that a formula gets at once


@dataclass(frozen=True, eq=False)
class RankedDocuments:
    """Documents with everything that determines their ranking.

    Attributes
    ----------
    model : RankingModel
    scores : array of shape (n_documents, n_classes)
    misclassification : Misclassification or None
        P(error) of every decision; None for the random ranker.
    features : array or sparse matrix, or None
    costs : array or None
        The cost of reading each document; None if all cost the same.
    ties : int array or None
        Among documents of equal utility, the one with the smallest number comes first; None to
        use the document's index.
    decisions : Decided or None
        The labels that were chosen for the measure, or that were closed under a hierarchy; None
        where the signs of the scores decide.
    """

    model: RankingModel
    scores: Scores
    misclassification: Misclassification | None
    features: Any = None
    costs: Array | None = None
    ties: Places | None = None
    decisions: Decided | None = None

    @property
    def decided(self) -> Labels:
        """The labels that are to be validated, documents x classes."""
        if self.decisions is None:
            return self.model.own_labels(self.scores)
        return self.decisions.labels

    def decided_on(self, i: int) -> Labels:
        """Return the labels of one document."""
        if self.decisions is None:
            return self.model.own_labels(self.scores[i : i + 1])[0]
        return np.asarray(self.decisions.labels[i])

    def probability(self) -> Array:
        """Compute P(document belongs to class), documents x classes; 0 or 1 if it is not known."""
        decided = self.decided
        if self.misclassification is None:
            return np.where(decided, 1.0, 0.0)
        wrong = self.misclassification.of_documents(slice(None))
        return np.subtract(1.0, wrong, out=wrong, where=decided)

    @cached_property
    def columns(self) -> Misclassification | None:
        """The columns over which utilities are summed: the classes; for micro, only FP and FN.

        Micro-averaged gains are the same for every class (Equation 17), so a document's
        utility depends only on its sums of P(fp) and of P(fn) over the classes.
        """
        errors = self.misclassification
        if errors is None:
            return None
        if self.model.weights is not None or self.costs is not None:
            weights = self.model.weights or unweighted(self.model.n_classes)
            errors = weights.weighted(errors, self.decided, self.costs)
        if self.model.average == "macro":
            return errors
        return GivenMisclassification(errors.sums())

    @cached_property
    def utility(self) -> Array | None:
        """U(d) before the first correction; None for the random ranker."""
        if self.columns is None:
            return None
        if self.model.method.formula is None:
            return self.columns.utilities(self.model.column_gains)
        return self._by_formula()

    def _by_formula(self) -> Array:
        """Compute the utility that the formula of the method gives, block by block."""
        method, errors = self.model.method, self.misclassification
        if method.formula is None or errors is None:
            raise ValueError(f"method {method.name!r} has no formula of its own")
        training = require_training(self.model.training, method) if method.counts_labels else None
        cardinality = None if training is None else float(training.labels.sum(axis=1).mean())
        one_label, decided = self.model.task == SINGLE_LABEL, self.decided
        utility = np.empty(len(decided))
        step = max(1, _BLOCK // self.model.n_classes)
        for start in range(0, len(decided), step):
            rows = slice(start, start + step)
            wrong = errors.of_documents(rows)
            utility[rows] = method.formula(Predicted(decided[rows], wrong, one_label, cardinality))
        return utility if self.costs is None else utility / self.costs

    def weighted(self, i: int, gain: Array) -> Array:
        """Multiply the gains of decisions on document i by their weights; divide by its cost."""
        if self.model.weights is not None:
            gain = gain * self.model.weights.of_decisions(self.decided_on(i))
        return gain if self.costs is None else gain / self.costs[i]


def apply_model(
    model: RankingModel, scores: Scores, ties: Places | None = None, features: Any = None
) -> RankedDocuments:
    """Apply a model to scores, for example to a part of the set that its tables describe."""
    errors = model.misclassification(scores, features)
    decisions = None
    if model.is_chosen and isinstance(errors, GivenMisclassification):
        labels = positive_decisions(errors.signed)
        decisions = Decided(labels, model.cuts, rule=model.rule)
    return RankedDocuments(model, scores, errors, features=features, ties=ties, decisions=decisions)
