"""Live accuracy: an estimate of how accurate the labels are now, with an interval.

The labels of documents that are not validated are drawn at random from the calibrated
probabilities; the labels of validated documents are fixed. The measure of the resulting tables has
a mean and an interval. The draws contain the uncertainty of the probabilities themselves
(`uncertainty`). Corrections reduce it, class by class (`shifts`), and an alarm is raised when the
corrections do not agree with the predictions (`drift`). A decision changes the sums of one
document only, so a new estimate is fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.drawn_tables import (
    KnownCounts,
    ShiftDraws,
    draw_errors,
    tables_with_errors,
)
from satc.assurance.live.drift import Assumption, Drift, drift_of
from satc.assurance.live.shifts import AT_ZERO, N_REGIONS, ShiftedSums
from satc.assurance.live.uncertainty import Uncertainty, variance_ratio
from satc.contingency import ContingencyTables
from satc.inputs import Labels, check_average
from satc.measures import Measure, evaluate

Array = NDArray[np.float64]

Counts = Labels | NDArray[np.int64]
Decisions = Sequence[tuple[int, Labels]]  # documents with their labels

N_DRAWS = 300
_AT_ONCE = 256  # documents that are added together


class ClassAccuracy(NamedTuple):
    """Estimates and intervals of the classes, one value per class."""

    value: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Accuracy:
    """An estimate of a measure, with its interval.

    Attributes
    ----------
    value, low, high : float
        The mean of the draws, and the interval that contains a share of `level` of them.
    level : float
        The probability of the interval.
    average : str
        ``"macro"`` or ``"micro"``.
    classes : ClassAccuracy
        The same estimates for every class.
    assumption : Assumption
        Whether the corrections so far agree with the probabilities.
    draws : array
        The drawn values of the measure.
    """

    value: float
    low: float
    high: float
    level: float
    average: str
    classes: ClassAccuracy
    assumption: Assumption
    draws: Array = field(repr=False, compare=False)

    def _repr_html_(self) -> str:
        """Return the estimate as a sentence, for notebooks."""
        interval = f"{self.level:.0%} interval {self.low:.3f} to {self.high:.3f}"
        return f"<p>{self.average}-averaged: <b>{self.value:.3f}</b>, {interval}</p>"


class DocumentSums(NamedTuple):
    """Sums over a set of documents, none of them validated."""

    sums: ShiftedSums
    decided: NDArray[np.int64]  # documents that the classifier put into each class
    n_documents: int

    def without(self, part: DocumentSums) -> DocumentSums:
        """Return the sums over the documents that are not in a subset."""
        expected = self.sums.expected - part.sums.expected
        variance = self.sums.variance - part.sums.variance
        left = ShiftedSums(expected, variance, np.zeros_like(expected))
        return DocumentSums(left, self.decided - part.decided, self.n_documents - part.n_documents)


class AccuracyModel:
    """Random draws of the unknown labels, updated at each decision.

    Parameters
    ----------
    signed : array, documents x classes
        Probabilities of errors, negative where the decision of the classifier is negative.
    decided : boolean array, documents x classes
        The decisions of the classifier.
    uncertainty : Uncertainty
        How far the probabilities can be trusted.
    seed : int
        Seed of the draws.
    larger_set : DocumentSums, optional
        Sums over a larger set of which the documents are a subset. The model then describes the
        larger set.
    heeds_corrections : bool
        Whether corrections change what is believed of the other documents. They do not in a cold
        start: there the probabilities themselves are learnt from them.
    """

    def __init__(
        self,
        signed: Array,
        decided: Labels,
        uncertainty: Uncertainty,
        *,
        seed: int = 0,
        larger_set: DocumentSums | None = None,
        heeds_corrections: bool = True,
    ) -> None:
        self.signed = signed
        self._heeds_corrections = heeds_corrections
        self.uncertainty = uncertainty
        self.risks = uncertainty.risks(signed)
        here = DocumentSums(
            ShiftedSums.of(signed, self.risks), np.count_nonzero(decided, axis=0), len(signed)
        )
        self.unfetched = None if larger_set is None else larger_set.without(here)
        larger_set = larger_set or here
        self.sums = deepcopy(larger_set.sums)
        self._decided = decided
        self._seed = seed
        none_validated = np.zeros(signed.shape[1], dtype=np.int64)
        self.known = KnownCounts(none_validated, larger_set.decided, larger_set.n_documents)
        shape = N_DRAWS, signed.shape[1], N_REGIONS
        uniform = np.random.default_rng(seed).random(shape, dtype=np.float32)
        self._uniform = np.ascontiguousarray(uniform.transpose(1, 2, 0))
        self._drawn: tuple[ContingencyTables, Drift] | None = None

    def validate(self, i: int, labels: Labels) -> None:
        """Add the true labels of document i."""
        row = slice(i, i + 1)
        wrong = (labels != self._decided[i])[np.newaxis]
        self.sums.validate(self.signed[row], self.risks[row], wrong)
        self._update_counts(labels, self._decided[i], 1)

    def validate_all(self, decisions: Decisions) -> None:
        """Add the true labels of several documents: the same as `validate` for each of them."""
        for start in range(0, len(decisions), _AT_ONCE):
            some = decisions[start : start + _AT_ONCE]
            rows = np.array([i for i, _ in some], dtype=np.int64)
            labels, decided = np.array([one for _, one in some]), self._decided[rows]
            self.sums.validate(self.signed[rows], self.risks[rows], labels != decided)
            self._update_counts(labels.sum(axis=0), decided.sum(axis=0), 1)

    def revert(self, i: int, labels: Labels) -> None:
        """Undo `validate`; the labels are those that were given to it."""
        row = slice(i, i + 1)
        wrong = (labels != self._decided[i])[np.newaxis]
        self.sums.revert(self.signed[row], self.risks[row], wrong)
        self._update_counts(labels, self._decided[i], -1)

    def snapshot(self) -> AccuracyModel:
        """Return a copy of the model that later decisions do not change."""
        same = copy(self)
        same.sums = deepcopy(self.sums)
        return same

    def _update_counts(self, labels: Counts, decided: Counts, sign: int) -> None:
        positives, left, n = self.known
        self.known = KnownCounts(positives + sign * labels, left - sign * decided, n)
        self._drawn = None

    def drawn(self) -> tuple[ContingencyTables, Drift]:
        """Return the tables of the present labels, draws x classes in every cell, and the drift."""
        if self._drawn is None:
            rng = np.random.default_rng(self._seed)
            draws, drift = self.shift_draws(rng)
            errors = draw_errors(*self.sums.errors(), draws, rng, paired=self.uncertainty.paired)
            self._drawn = tables_with_errors(self.known, errors), drift
        return self._drawn

    def shift_draws(self, rng: np.random.Generator) -> tuple[ShiftDraws, Drift]:
        """Draw shifts from their distribution given the training documents and corrections."""
        likelihood = self.sums.log_likelihood()
        if not self._heeds_corrections:
            likelihood = np.zeros_like(likelihood)
        expected, variance = (cell[..., AT_ZERO] for cell in self.sums.errors())
        top = likelihood.max(axis=-1, keepdims=True)
        prior = self.uncertainty.prior(variance_ratio(expected, variance))
        posterior = prior * np.exp(likelihood - top)
        drift = drift_of(likelihood, self.uncertainty)
        common = self.uncertainty.draw_common(
            expected.sum(axis=0), variance.sum(axis=0), N_DRAWS, rng
        )
        if drift.weights is not None:
            common += _draw_drift(drift.shifts, drift.weights, rng)[:, np.newaxis]
        groups = self.uncertainty.groups
        by_region = np.ascontiguousarray(common.transpose(1, 2, 0))
        return ShiftDraws(np.cumsum(posterior, axis=-1), self._uniform, by_region, groups), drift

    def accuracy(self, measure: Measure, average: str, level: float) -> Accuracy:
        """Estimate a measure of the present labels."""
        cells, drift = self.drawn()
        of_classes = np.asarray(evaluate(measure, *cells))
        factor = self.uncertainty.widening
        values = widened(averaged(measure, cells, average, of_classes), factor)
        value, low, high = _interval(values, level)
        classes = ClassAccuracy(*_interval(widened(of_classes, factor), level))
        return Accuracy(
            float(value), float(low), float(high), level, average, classes, drift.assumption, values
        )


def averaged(
    measure: Measure, cells: ContingencyTables, average: str, of_classes: Array | None = None
) -> Array:
    """Return the macro or micro average of every draw; the last axis is that of the classes."""
    check_average(average)
    if average == "micro":
        return np.asarray(evaluate(measure, *(cell.sum(axis=-1) for cell in cells)))
    values = evaluate(measure, *cells) if of_classes is None else of_classes
    return np.asarray(values.mean(axis=-1))


def widened(values: Array, factor: float, axis: int = 0) -> Array:
    """Multiply the distance of draws from their mean; none leaves the range of a measure.

    >>> widened(np.array([0.5, 0.7, 0.9]), 1.5).round(2)
    array([0.4, 0.7, 1. ])
    """
    if factor == 1.0:
        return values
    mean = values.mean(axis=axis, keepdims=True)
    lowest, highest = min(0.0, float(values.min())), max(1.0, float(values.max()))
    return np.clip(mean + factor * (values - mean), lowest, highest)


def check_level(level: Any, name: str = "level") -> float:
    """Return a probability that is strictly between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"{name} must be between 0 and 1, but is {level!r}")
    return float(level)


def _interval(values: Array, level: float) -> tuple[Array, Array, Array]:
    tail = (1.0 - check_level(level)) / 2
    low, high = np.quantile(values, (tail, 1.0 - tail), axis=0)
    value = np.clip(values.mean(axis=0), low, high)
    return value, low, high


def _draw_drift(shifts: Array, weights: Array, rng: np.random.Generator) -> Array:
    """Draw the shift of a drift; all regions of positive (or negative) decisions share it."""
    cumulated = np.cumsum(weights, axis=1)
    uniform = rng.random(N_DRAWS)
    picked = [np.searchsorted(row, uniform * row[-1]) for row in cumulated]
    return shifts[np.minimum(np.array(picked).T, len(shifts) - 1)]
