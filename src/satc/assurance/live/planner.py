"""The planner: how much work is left to a target, and what a budget buys.

The draws that say how good the labels are now also say how they would become: along the
order of the documents left, every draw has its errors somewhere, and each is corrected when its
document is reached. A draw's curve crosses the target at some number of documents; the quantile of
these numbers is the plan. No label is needed that is not known already.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import AccuracyModel, averaged, check_level
from satc.assurance.live.drawn_tables import Known, draw_errors, tables
from satc.assurance.live.shifts import ShiftedSums
from satc.contingency import ContingencyTables
from satc.measures import Measure

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

N_STEPS = 40


@dataclass(frozen=True, eq=False)
class Curve:
    """The expected course of the measure, with the band in which the draws lie.

    Attributes
    ----------
    documents : int array
        Further documents validated.
    value, low, high : float arrays
        The mean of the draws after so many, and their band.
    """

    documents: Indices
    value: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Plan:
    """What it takes to reach a target.

    Attributes
    ----------
    target, probability : float
    documents : int
        Further documents after which the target is reached with that probability.
    hours, cost : float or None
        The same in time, where the minutes of reading are known, and in money, where the
        price of an hour is.
    curve : Curve
    """

    target: float
    probability: float
    documents: int
    hours: float | None
    cost: float | None
    curve: Curve


@dataclass(frozen=True)
class Prospect:
    """What a budget buys: so many documents, and how good the labels are then."""

    documents: int
    value: float
    low: float
    high: float


class Outlook:
    """The draws' curves along an order of the documents left.

    Parameters
    ----------
    model : AccuracyModel
    order : int array
        The documents left, the next one first.
    measure, average
        Of what.
    minutes : float or array of one number per document, optional
        What reading takes.
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
        steps = _steps(len(self._order))
        self.curves = _curves(model, self._order, steps, measure, average)
        if model.outside is not None:  # they come last, all at once
            steps = np.append(steps, len(self._order) + model.outside.n_documents)
        self.documents = steps
        self._hours = None if minutes is None else self._cumulated(minutes, len(model.signed))
        self._pace = 0.0 if minutes is None else float(np.mean(minutes)) / 60.0

    @property
    def has_hours(self) -> bool:
        """Whether it is known how long reading takes."""
        return self._hours is not None

    def plan(
        self,
        target: float,
        probability: float = 0.9,
        *,
        price: float | None = None,
        level: float = 0.95,
    ) -> Plan:
        """Say what it takes to reach a target; `price` is that of an hour."""
        check_level(probability)
        check_target(target)
        needed = _crossings(self.documents, self.curves, target)
        documents = int(np.ceil(np.quantile(needed, probability)))
        hours = None if self._hours is None else self._hours_of(self._hours, documents)
        cost = None if hours is None or price is None else hours * price
        return Plan(target, probability, documents, hours, cost, self.curve(level))

    def afford(
        self, *, documents: int | None = None, hours: float | None = None, level: float = 0.95
    ) -> Prospect:
        """Say what a number of documents, or of hours, buys."""
        if (documents is None) == (hours is None):
            raise ValueError("exactly one of documents and hours must be given")
        if hours is not None:
            if self._hours is None:
                raise ValueError("hours need minutes, what reading a document takes")
            documents = self._documents_in(self._hours, hours)
        n = int(np.clip(documents or 0, 0, self.documents[-1]))
        curve = self.curve(level)
        course = curve.value, curve.low, curve.high
        after = (float(np.interp(n, curve.documents, part)) for part in course)
        return Prospect(n, *after)

    def curve(self, level: float = 0.95) -> Curve:
        """Return the expected curve with its band."""
        tail = (1.0 - check_level(level)) / 2
        low, high = np.quantile(self.curves, (tail, 1.0 - tail), axis=1)
        return Curve(self.documents, np.clip(self.curves.mean(axis=1), low, high), low, high)

    def _hours_of(self, cumulated: Array, documents: int) -> float:
        """Return what documents take; those outside take as long as others do."""
        here = min(documents, len(self._order))
        return float(cumulated[here]) + (documents - here) * self._pace

    def _documents_in(self, cumulated: Array, hours: float) -> int:
        here = int(np.searchsorted(cumulated, hours, side="right")) - 1
        if here < len(self._order) or not self._pace:
            return here
        return here + int((hours - cumulated[-1]) / self._pace)

    def _cumulated(self, minutes: Any, n: int) -> Array:
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
    """Say what it takes to reach a target; see `Outlook` and `satc.Validation.plan`."""
    return Outlook(model, order, measure, average, minutes).plan(target, probability, price=price)


def check_target(target: float) -> None:
    """Refuse what no measure can reach."""
    if not 0 < target <= 1:
        raise ValueError(f"target must be above 0 and up to 1, but is {target!r}")


def _steps(n: int) -> Indices:
    """Spread the points of the curve, closer together at the start."""
    places = n * np.linspace(0.0, 1.0, N_STEPS + 1) ** 2
    return np.unique(np.concatenate([np.round(places), [n]])).astype(np.int64)


def _curves(
    model: AccuracyModel, order: Indices, steps: Indices, measure: Measure, average: str
) -> Array:
    """Return the measure after each step, steps x draws."""
    rng = np.random.default_rng(0)
    draws, _ = model.shift_draws(rng)
    segments = []
    for start, stop in pairwise(steps.tolist()):
        rows = order[start:stop]
        sums = ShiftedSums.of(model.signed[rows], model.risks[rows])
        decided = np.count_nonzero(model.signed[rows] > 0, axis=0)
        errors = draw_errors(*sums.errors(), draws, rng)
        errors[..., 0] = np.minimum(errors[..., 0], decided)
        segments.append((decided, errors))
    if (outside := model.outside) is not None:
        errors = draw_errors(*outside.sums.errors(), draws, rng)
        errors[..., 0] = np.minimum(errors[..., 0], outside.decided)
        segments.append((outside.decided, errors))
    after = (_after(model.known, segments, done) for done in range(len(segments) + 1))
    return np.array([averaged(measure, cells, average) for cells in after])


def _after(known: Known, segments: list[tuple[Any, Any]], done: int) -> ContingencyTables:
    """Return the tables of all draws when the first segments are validated."""
    positives, decided = known.positives, known.decided
    for left, errors in segments[:done]:
        positives = positives + left - errors[..., 0] + errors[..., 1]
        decided = decided - left
    errors = sum((errors for _, errors in segments[done:]), np.zeros(1, dtype=np.int64))
    if done == len(segments):
        errors = np.zeros((*positives.shape, 2), dtype=np.int64)
    return tables(Known(positives, decided, known.n_documents), errors)


def _crossings(documents: Indices, curves: Array, target: float) -> Array:
    """Return, for each draw, after how many documents its curve stays at the target."""
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
