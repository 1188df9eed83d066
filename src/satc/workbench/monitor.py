"""How good the labels are now, and how that has come about: the live estimate and its curve.

An estimate costs a few milliseconds, so it is made when somebody asks and something has changed,
and at most once in a while.
"""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import NamedTuple

from satc.validation import Validation
from satc.workbench.desk import Desk

_LEAST_SECONDS = 1.0  # between two estimates
_MOST_POINTS = 400


class Estimate(NamedTuple):
    """A value with its 95% interval."""

    value: float
    low: float
    high: float


class Point(NamedTuple):
    """Estimates of both averages when so many documents were validated."""

    n: int
    macro: Estimate
    micro: Estimate


class Monitor:
    """The live estimate of one project."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = Lock()
        self._changes = -1
        self._at = -_LEAST_SECONDS
        self.points: list[Point] = []

    def latest(self) -> Point | None:
        """Return the present estimate; None where the data supports none."""
        with self._lock:
            stale = self._changes != self._desk.changes
            if stale and monotonic() - self._at >= _LEAST_SECONDS:
                self._look()
            return self.points[-1] if self.points else None

    def _look(self) -> None:
        with self._desk.locked():
            point = estimate(self._desk.validation)
            self._changes = self._desk.changes
        self._at = monotonic()
        if point is None:
            return
        while self.points and self.points[-1].n >= point.n:  # something was undone
            self.points.pop()
        self.points.append(point)
        if len(self.points) > _MOST_POINTS:
            del self.points[1:-1:2]


def estimate(validation: Validation) -> Point | None:
    """Return the estimates of both averages; None where the training data supports none."""
    try:
        macro, micro = (validation.accuracy(average=average) for average in ("macro", "micro"))
    except (ValueError, AttributeError):
        return None
    return Point(
        validation.n_validated,
        Estimate(macro.value, macro.low, macro.high),
        Estimate(micro.value, micro.low, micro.high),
    )
