"""The planner: how much work is left until a target is reached, and what a budget achieves.

It uses the same random draws as the live estimate (`accuracy`). Every draw has errors in some of
the documents that are not validated; an error is corrected when its document is reached. So every
draw gives a curve of the measure along the order of the documents. The curve of a draw crosses the
target after some number of documents; a quantile of these numbers is the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import AccuracyModel, averaged, check_level, widened
from satc.assurance.live.drawn_tables import KnownCounts, draw_errors, tables_with_errors
from satc.assurance.live.shifts import ShiftedSums
from satc.contingency import ContingencyTables
from satc.measures import Measure

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

N_STEPS = 40  # points of a curve, about


@dataclass(frozen=True, eq=False)
class Curve:
    """The expected value of the measure as work goes on, with an interval.

    Attributes
    ----------
    documents : int array
        Numbers of further validated documents.
    value, low, high : float arrays
        The mean of the draws after that many documents, and the interval of the draws.
    """

    documents: Indices
    value: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Plan:
    """The work that is needed to reach a target.

    Attributes
    ----------
    target, probability : float
        The value of the measure to reach, and the probability with which the plan reaches it.
    documents : int
        Number of further documents to validate.
    hours, cost : float or None
        Hours that these documents take, or None if the reading time is unknown, and what the hours
        cost, or None if the price of an hour is unknown.
    curve : Curve
        The expected value of the measure on the way.
    """

    target: float
    probability: float
    documents: int
    hours: float | None
    cost: float | None
    curve: Curve


@dataclass(frozen=True)
class Prospect:
    """The result of a budget: the number of documents, and the measure afterwards."""

    documents: int
    value: float
    low: float
    high: float


class Outlook:
    """Curves of the measure along an order of the documents that are not validated.

    Parameters
    ----------
    model : AccuracyModel
        The model of the present accuracy.
    order : int array
        The documents that are not validated, the next one first.
    measure, average
        The measure, and how it is averaged over classes.
    minutes : float or array of one number per document, optional
        Minutes that reading a document takes.
    """

    def __init__(
        self,
        model: AccuracyModel,
        order: Any,
        measure: Measure,
        average: str,
        minutes: Any = None,
    ) -> None:
        self._order = np.asarray(order, dtype=np.int64)
        steps = _curve_points(len(self._order))
        self.curves = _curves(model, self._order, steps, measure, average)
        if model.unfetched is not None:  # documents outside the subset are one last step
            steps = np.append(steps, len(self._order) + model.unfetched.n_documents)
        self.documents = steps
        self._hours = (
            None if minutes is None else self._cumulative_hours(minutes, len(model.signed))
        )
        self._mean_hours = 0.0 if minutes is None else float(np.mean(minutes)) / 60.0

    @property
    def has_hours(self) -> bool:
        """Whether the reading time is known."""
        return self._hours is not None

    def plan(
        self,
        target: float,
        probability: float = 0.9,
        *,
        price: float | None = None,
        level: float = 0.95,
    ) -> Plan:
        """Return the work that is needed to reach a target; `price` is the price of an hour."""
        check_level(probability, "probability")
        check_target(target)
        needed = _crossings(self.documents, self.curves, target)
        documents = int(np.ceil(np.quantile(needed, probability)))
        hours = None if self._hours is None else self._hours_of(self._hours, documents)
        cost = None if hours is None or price is None else hours * price
        return Plan(target, probability, documents, hours, cost, self.curve(level))

    def afford(
        self, *, documents: int | None = None, hours: float | None = None, level: float = 0.95
    ) -> Prospect:
        """Return the measure after a number of documents or of hours."""
        if (documents is None) == (hours is None):
            raise ValueError("exactly one of documents and hours must be given")
        if hours is not None:
            if self._hours is None:
                raise ValueError("hours need minutes, the time that reading a document takes")
            documents = self._documents_in(self._hours, hours)
        n = int(np.clip(documents or 0, 0, self.documents[-1]))
        curve = self.curve(level)
        columns = curve.value, curve.low, curve.high
        after = (float(np.interp(n, curve.documents, column)) for column in columns)
        return Prospect(n, *after)

    def curve(self, level: float = 0.95) -> Curve:
        """Return the expected curve with its interval."""
        tail = (1.0 - check_level(level)) / 2
        low, high = np.quantile(self.curves, (tail, 1.0 - tail), axis=1)
        return Curve(self.documents, np.clip(self.curves.mean(axis=1), low, high), low, high)

    def _hours_of(self, cumulated: Array, documents: int) -> float:
        """Return the hours that documents take; outside the subset the mean time is used."""
        here = min(documents, len(self._order))
        return float(cumulated[here]) + (documents - here) * self._mean_hours

    def _documents_in(self, cumulated: Array, hours: float) -> int:
        here = int(np.searchsorted(cumulated, hours, side="right")) - 1
        if here < len(self._order) or not self._mean_hours:
            return here
        return here + int((hours - cumulated[-1]) / self._mean_hours)

    def _cumulative_hours(self, minutes: Any, n: int) -> Array:
        per_document = np.broadcast_to(np.asarray(minutes, dtype=np.float64), n)
        if not np.isfinite(per_document).all() or (per_document < 0).any():
            raise ValueError("minutes must be finite and 0 or more")
        return np.concatenate([[0.0], np.cumsum(per_document[self._order])]) / 60.0


def plan(
    model: AccuracyModel,
    order: Any,
    target: float,
    probability: float = 0.9,
    *,
    measure: Measure,
    average: str = "macro",
    minutes: Any = None,
    price: float | None = None,
) -> Plan:
    """Return the work that is needed to reach a target.

    See `Outlook` and `satc.Validation.plan` for the parameters.
    """
    return Outlook(model, order, measure, average, minutes).plan(target, probability, price=price)


def check_target(target: float) -> None:
    """Raise an error if no measure can reach the target."""
    if not 0 < target <= 1:
        raise ValueError(f"target must be above 0 and up to 1, but is {target!r}")


def _curve_points(n: int) -> Indices:
    """Return numbers of documents from 0 to n, closer together at the start."""
    points = n * np.linspace(0.0, 1.0, N_STEPS + 1) ** 2
    return np.unique(np.concatenate([np.round(points), [n]])).astype(np.int64)


def _curves(
    model: AccuracyModel, order: Indices, steps: Indices, measure: Measure, average: str
) -> Array:
    """Return the measure after each step, steps x draws."""
    rng = np.random.default_rng(0)
    draws, _ = model.shift_draws(rng)
    segments, paired = [], model.uncertainty.paired
    for start, stop in pairwise(steps.tolist()):
        rows = order[start:stop]
        sums = ShiftedSums.of(model.signed[rows], model.risks[rows])
        decided = np.count_nonzero(model.signed[rows] > 0, axis=0)
        errors = draw_errors(*sums.errors(), draws, rng, paired=paired)
        errors[..., 0] = np.minimum(errors[..., 0], decided)
        segments.append((decided, errors))
    if (unfetched := model.unfetched) is not None:
        errors = draw_errors(*unfetched.sums.errors(), draws, rng, paired=paired)
        errors[..., 0] = np.minimum(errors[..., 0], unfetched.decided)
        segments.append((unfetched.decided, errors))
    after = (_tables_after(model.known, segments, done) for done in range(len(segments) + 1))
    curves = np.array([averaged(measure, cells, average) for cells in after])
    return widened(curves, model.uncertainty.widening, axis=1)


def _tables_after(
    known: KnownCounts, segments: list[tuple[Any, Any]], done: int
) -> ContingencyTables:
    """Return the tables of all draws after the first `done` segments are validated."""
    positives, decided = known.positives, known.decided
    for left, errors in segments[:done]:
        positives = positives + left - errors[..., 0] + errors[..., 1]
        decided = decided - left
    errors = sum((errors for _, errors in segments[done:]), np.zeros(1, dtype=np.int64))
    if done == len(segments):
        errors = np.zeros((*positives.shape, 2), dtype=np.int64)
    return tables_with_errors(KnownCounts(positives, decided, known.n_documents), errors)


def _crossings(documents: Indices, curves: Array, target: float) -> Array:
    """Return, for each draw, the number of documents from which its curve stays at the target."""
    below = curves < target - 1e-12
    first = np.where(below.any(axis=0), len(documents) - below[::-1].argmax(axis=0), 0)
    first = np.minimum(first, len(documents) - 1)
    needed = documents[first].astype(np.float64)
    for d in np.flatnonzero(first):
        before, after = curves[first[d] - 1, d], curves[first[d], d]
        share = (target - before) / (after - before) if after > before else 1.0
        step = documents[first[d]] - documents[first[d] - 1]
        needed[d] = documents[first[d] - 1] + min(max(share, 0.0), 1.0) * step
    return needed
