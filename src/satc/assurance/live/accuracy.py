"""Live accuracy: how good the labels are now, with an interval.

The labels of the documents left are drawn from the calibrated probabilities, those validated are
fixed, and any measure of the tables that come out has a mean and an interval. The probabilities'
own uncertainty is in the draws (`uncertainty`); corrections sharpen it class by class (`shifts`);
and an alarm says when they do not agree with what was predicted (`drift`). A decision changes
sums by the part of one document, so that the estimate is quick after each.
"""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.drawn_tables import Known, ShiftDraws, draw_errors, tables
from satc.assurance.live.drift import Assumption, Drift, drift_of
from satc.assurance.live.shifts import AT_ZERO, N_REGIONS, ShiftedSums
from satc.assurance.live.uncertainty import Uncertainty, rare_share
from satc.contingency import ContingencyTables
from satc.inputs import Labels, check_average
from satc.measures import Measure, evaluate

Array = NDArray[np.float64]

N_DRAWS = 300


class ClassAccuracy(NamedTuple):
    """One value per class."""

    value: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Accuracy:
    """An estimate with its interval.

    Attributes
    ----------
    value, low, high : float
        The mean of the draws, and where all but ``1 - level`` of them lie.
    level : float
    average : str
    classes : ClassAccuracy
        The same for every class.
    assumption : Assumption
        Whether the corrections so far agree with the probabilities.
    draws : array
        The values drawn.
    """

    value: float
    low: float
    high: float
    level: float
    average: str
    classes: ClassAccuracy
    assumption: Assumption
    draws: Array = field(repr=False, compare=False)


class WholeSums(NamedTuple):
    """Sums over a set that the documents at hand are a part of, none of them validated."""

    sums: ShiftedSums
    decided: NDArray[np.int64]  # documents decided positive, per class
    n_documents: int

    def without(self, part: WholeSums) -> WholeSums:
        """Return the sums over the documents that are not in a part."""
        expected = self.sums.expected - part.sums.expected
        variance = self.sums.variance - part.sums.variance
        left = ShiftedSums(expected, variance, np.zeros_like(expected))
        return WholeSums(left, self.decided - part.decided, self.n_documents - part.n_documents)


class AccuracyModel:
    """Draws of what the labels may turn out to be, kept up to date decision by decision."""

    def __init__(
        self,
        signed: Array,
        decided: Labels,
        uncertainty: Uncertainty,
        *,
        seed: int = 0,
        whole: WholeSums | None = None,
    ) -> None:
        self.signed = signed
        self.uncertainty = uncertainty
        self.risks = uncertainty.risks(signed)
        here = WholeSums(
            ShiftedSums.of(signed, self.risks), np.count_nonzero(decided, axis=0), len(signed)
        )
        self.outside = None if whole is None else whole.without(here)
        whole = whole or here
        self.sums = deepcopy(whole.sums)
        self._decided = decided
        self._seed = seed
        nothing = np.zeros(signed.shape[1], dtype=np.int64)
        self.known = Known(nothing, whole.decided, whole.n_documents)
        shape = N_DRAWS, signed.shape[1], N_REGIONS
        uniform = np.random.default_rng(seed).random(shape, dtype=np.float32)
        self._uniform = np.ascontiguousarray(uniform.transpose(1, 2, 0))
        self._drawn: tuple[ContingencyTables, Drift] | None = None

    def validate(self, i: int, labels: Labels) -> None:
        """Learn the true labels of document i."""
        row = slice(i, i + 1)
        wrong = (labels != self._decided[i])[np.newaxis]
        self.sums.validate(self.signed[row], self.risks[row], wrong)
        self._move(labels, self._decided[i], 1)

    def revert(self, i: int, labels: Labels) -> None:
        """Take that back."""
        row = slice(i, i + 1)
        wrong = (labels != self._decided[i])[np.newaxis]
        self.sums.revert(self.signed[row], self.risks[row], wrong)
        self._move(labels, self._decided[i], -1)

    def snapshot(self) -> AccuracyModel:
        """Return the model as it is now; further decisions on this one do not reach it."""
        same = copy(self)
        same.sums = deepcopy(self.sums)
        return same

    def _move(self, labels: Labels, decided: Labels, sign: int) -> None:
        positives, left, n = self.known
        self.known = Known(positives + sign * labels, left - sign * decided, n)
        self._drawn = None

    def drawn(self) -> tuple[ContingencyTables, Drift]:
        """Return tables of the labels as they stand, draws x classes, and the drift."""
        if self._drawn is None:
            rng = np.random.default_rng(self._seed)
            draws, drift = self.shift_draws(rng)
            errors = draw_errors(*self.sums.errors(), draws, rng)
            self._drawn = tables(self.known, errors), drift
        return self._drawn

    def shift_draws(self, rng: np.random.Generator) -> tuple[ShiftDraws, Drift]:
        """Draw shifts from what training and corrections say of them."""
        likelihood = self.sums.log_likelihood()
        expected, variance = (cell[..., AT_ZERO] for cell in self.sums.errors())
        top = likelihood.max(axis=-1, keepdims=True)
        prior = self.uncertainty.prior(rare_share(expected, variance))
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
        """Estimate a measure of the labels as they stand."""
        cells, drift = self.drawn()
        of_classes = np.asarray(evaluate(measure, *cells))
        values = averaged(measure, cells, average, of_classes)
        value, low, high = _interval(values, level)
        classes = ClassAccuracy(*_interval(of_classes, level))
        return Accuracy(
            float(value), float(low), float(high), level, average, classes, drift.assumption, values
        )


def averaged(
    measure: Measure, cells: ContingencyTables, average: str, of_classes: Array | None = None
) -> Array:
    """Return the macro or micro average of every draw; classes are the last axis."""
    check_average(average)
    if average == "micro":
        return np.asarray(evaluate(measure, *(cell.sum(axis=-1) for cell in cells)))
    values = evaluate(measure, *cells) if of_classes is None else of_classes
    return np.asarray(values.mean(axis=-1))


def check_level(level: Any) -> float:
    """Return the level, a share between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, but is {level!r}")
    return float(level)


def _interval(values: Array, level: float) -> tuple[Array, Array, Array]:
    tail = (1.0 - check_level(level)) / 2
    low, high = np.quantile(values, (tail, 1.0 - tail), axis=0)
    value = np.clip(values.mean(axis=0), low, high)
    return value, low, high


def _draw_drift(shifts: Array, weights: Array, rng: np.random.Generator) -> Array:
    """Draw the shift of a drift; regions of one side share it."""
    cumulated = np.cumsum(weights, axis=1)
    uniform = rng.random(N_DRAWS)
    picked = [np.searchsorted(row, uniform * row[-1]) for row in cumulated]
    return shifts[np.minimum(np.array(picked).T, len(shifts) - 1)]
