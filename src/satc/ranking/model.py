"""The model of a ranking: what P(error), contingency tables and gains are computed from.

A model holds no documents. It is applied to documents (`documents`) to compute their utilities. The
same model ranks documents in memory, a part of a larger set, or scores in a database.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.arrays.frames import Names
from satc.calibration.cold.calibrator import ColdStartCalibrator, Standing
from satc.calibration.evidence import evidence_on_training
from satc.calibration.expected import RAISED_BY, RAISED_BY_CHOSEN, raised
from satc.calibration.logistic import membership_probabilities, one_label_probabilities
from satc.calibration.untrained.calibrator import Calibrator
from satc.code_book.hierarchy import Hierarchy
from satc.contingency import ContingencyTables
from satc.decisions import (
    Decided,
    OneLabelRule,
    by_cuts,
    choose,
    expected_value,
    own_labels,
)
from satc.gains import Gains, average_gains, pointwise_gains, unit_gains
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels, Scores
from satc.measures import Measure
from satc.one_label import choose_one, expected_value_of_one
from satc.ranking.methods import Method
from satc.ranking.misclassification import (
    GivenMisclassification,
    LogisticMisclassification,
    Misclassification,
)
from satc.ranking.weights import Weights
from satc.smoothing import smooth
from satc.training import Training

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RankingModel:
    """A method with its estimates.

    Attributes
    ----------
    method, measure, average
        As for `satc.rank`.
    n_classes : int
    class_tables : ContingencyTables or None
        One table for each class, of the set of documents that is to be ranked; not smoothed.
    sigma : float or None
        The growth rate of the logistic function; None for methods that do not use it.
    cuts : array or None
        The smallest probability that gets the label of each class, where labels are chosen for
        the measure; None where the signs of the scores decide.
    rule : OneLabelRule or None
        The same for tasks in which every document has exactly one label; None where the largest
        score decides.
    task : str
        ``"multi-label"`` or ``"single-label"``.
    calibrator : Calibrator or None
        The model of probabilities in context, for the contextual methods; that of a cold start
        where no label was known at first.
    absent : float or None
        Pairs with the score -absent are not stored (`satc.scale`): they get no label by a cut,
        and are not the one label of a document.
    weights : Weights or None
        The weights of classes and kinds of errors; None if all weights are 1.
    training : Training or None
        The training documents that the estimates come from.
    hierarchy : Hierarchy or None
        Labels are closed under it: a label implies its ancestors. None if labels are independent.
    random_state
        For ``random``.
    class_names : tuple or None
        The names of the classes, where an argument was a frame; None where classes are only
        numbered.
    """

    method: Method
    measure: Measure
    average: str
    n_classes: int
    class_tables: ContingencyTables | None = None
    sigma: float | None = None
    calibrator: Calibrator | None = None
    cuts: Array | None = None
    absent: float | None = None
    rule: OneLabelRule | None = None
    task: str = MULTI_LABEL
    weights: Weights | None = None
    training: Training | None = None
    random_state: Any = 0
    hierarchy: Hierarchy | None = None
    class_names: Names | None = None

    @property
    def tables(self) -> ContingencyTables | None:
        """The tables that gains are computed from: one for each class, or one pooled for micro.

        k-fold estimates are smoothed, expected cells are raised, true counts are not changed.
        """
        if self.class_tables is None:
            return None
        tables = self.class_tables.pooled() if self.average == "micro" else self.class_tables
        if self.method.tables == "expected":
            return raised(tables, self.raised_by)
        return smooth(tables) if self.method.tables == "k-fold" else tables

    @property
    def is_cold(self) -> bool:
        """Whether no label was known at first, so that the model learns from people's decisions."""
        return isinstance(self.calibrator, ColdStartCalibrator)

    @property
    def standing(self) -> Standing | None:
        """What the probabilities of a cold start rest on; None where labels are known."""
        if isinstance(self.calibrator, ColdStartCalibrator):
            return self.calibrator.standing_
        return None

    @property
    def is_chosen(self) -> bool:
        """Whether labels are chosen for the measure; if not, the scores decide."""
        return self.cuts is not None or self.rule is not None

    @property
    def raised_by(self) -> float:
        """How many errors are added to expected tables; few if single-label, or in a cold start."""
        return RAISED_BY if self.cuts is None or self.is_cold else RAISED_BY_CHOSEN

    @property
    def gains(self) -> Gains:
        """The gains before the first correction, one pair per class."""
        return self._gains(self.n_classes)

    @property
    def column_gains(self) -> Gains:
        """The gains before the first correction, one pair per column (see `documents`)."""
        return self._gains(2 if self.average == "micro" else self.n_classes)

    def weighted(self, gains: Gains) -> Gains:
        """Return gains multiplied by the weights of classes and errors."""
        return gains if self.weights is None else self.weights.gains(gains)

    def probability(self, scores: Scores, features: Any = None) -> Array | None:
        """Return P(document belongs to class); None for methods without probabilities."""
        if self.calibrator is not None:
            return self.lifted(self.calibrator.probabilities(scores, features))
        if self.sigma is None:
            return None
        if self.task == SINGLE_LABEL:
            return one_label_probabilities(scores, self.sigma)
        return self.lifted(membership_probabilities(scores, self.sigma))

    def lifted(self, probability: Array) -> Array:
        """Raise probabilities so that an ancestor is at least as probable, where it is implied."""
        if self.hierarchy is None:
            return probability
        return np.asarray(self.hierarchy.lift(probability))

    def own_labels(self, scores: Scores) -> Labels:
        """Return the classifier's own labels: by the signs of the scores, or the largest one."""
        return own_labels(scores, self.task, self.possible(scores))

    def possible(self, scores: Scores) -> Labels | None:
        """Return the pairs that are stored; None if all are."""
        return None if self.absent is None else np.asarray(scores != -self.absent)

    def closed(self, labels: Labels) -> Labels:
        """Return labels with all their ancestors, where a label implies them."""
        return labels if self.hierarchy is None else self.hierarchy.close(labels)

    def decide(self, scores: Scores, probability: Array | None) -> Labels:
        """Return the labels of documents: chosen for the measure, or the classifier's own."""
        return self.closed(self._decided(scores, probability))

    def _decided(self, scores: Scores, probability: Array | None) -> Labels:
        if probability is not None and self.rule is not None:
            return self.rule.labels(probability, self.possible(scores))
        if probability is None or self.cuts is None:
            return self.own_labels(scores)
        labels = by_cuts(probability, self.cuts)
        own = np.isnan(self.cuts)
        if own.any():
            labels[:, own] = self.own_labels(scores)[:, own]
        return labels if self.absent is None else labels & (scores != -self.absent)

    def choose(self, probability: Array) -> Decided:
        """Choose the labels that are best for the measure under these probabilities."""
        costs = None if self.weights is None else self.weights.costs
        best = choose_one if self.task == SINGLE_LABEL else choose
        chosen = best(probability, self.measure, self.average, costs)
        if self.hierarchy is None:
            return chosen
        labels = self.closed(chosen.labels)
        return replace(chosen, labels=labels, expected=self.expected_value(probability, labels))

    def expected_value(self, probability: Array, labels: Labels) -> float:
        """Return the expected value of the measure of these labels."""
        value = expected_value_of_one if self.task == SINGLE_LABEL else expected_value
        return value(probability, labels, self.measure, self.average)

    def misclassification(
        self, scores: Scores, features: Any = None, probability: Array | None = None
    ) -> Misclassification | None:
        """Return P(error) of documents; None for methods without error probabilities.

        `probability` is that of these documents, where it is known already.
        """
        if self._is_logistic and self.sigma is not None:
            return LogisticMisclassification(scores, self.sigma)
        if probability is None:
            probability = self.probability(scores, features)
        if probability is None:
            return None
        decided = self.decide(scores, probability)
        return GivenMisclassification.from_probability(decided, probability)

    @property
    def _is_logistic(self) -> bool:
        """Whether P(error) is that of Equation 6: of the sign of each score, by itself."""
        if self.hierarchy is not None:
            return False
        return self.calibrator is None and self.task == MULTI_LABEL and not self.is_chosen

    def kfold_tables(self, n_documents: int) -> ContingencyTables:
        """Return the k-fold counts of the training documents x |Te|/|Tr| (Section 4.3)."""
        training = require_training(self.training, self.method)
        probability = None
        if self.is_chosen:
            probability = self.probability(training.oof_scores, evidence_on_training(training))
        decided = self.decide(training.oof_scores, probability)
        counts = ContingencyTables.from_labels(training.labels, decided)
        return counts.scaled(n_documents / training.n_documents)

    def _gains(self, size: int) -> Gains:
        if self.tables is None:
            return unit_gains(size)
        formula = pointwise_gains if self.method.gains == "pointwise" else average_gains
        fp, fn = formula(self.measure, self.tables)
        return Gains(*(np.ascontiguousarray(np.broadcast_to(gain, size)) for gain in (fp, fn)))


def seed_of(random_state: Any) -> int:
    """Return the seed of a fit; 0 where `random_state` is a generator or None."""
    return int(random_state) if isinstance(random_state, int | np.integer) else 0


def require_training(training: Training | None, method: Method) -> Training:
    """Return the training documents; refuse None, because the method needs them."""
    if training is None:
        raise ValueError(
            f"method {method.name!r} needs oof_scores and y_train, the out-of-fold scores and "
            "the true labels of the training documents"
        )
    return training
