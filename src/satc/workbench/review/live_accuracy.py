"""How good the labels are now, and how that has come about: the live estimate and its curve.

Learning how far the probabilities can be trusted takes a while, so it is done beside the work.
After that an estimate costs some milliseconds: it is made when somebody asks and something has
changed, and at most once in a while.
"""

from __future__ import annotations

import re
from threading import Lock, Thread
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import Accuracy, AccuracyModel, WholeSums
from satc.assurance.live.estimator import AccuracyEstimator, accuracy_estimator
from satc.assurance.live.planner import Outlook
from satc.assurance.stopping_rules import Status, parse_rule
from satc.errors import DataError
from satc.validation import Validation
from satc.workbench.project.certificate import certify_project
from satc.workbench.project.history import read_history
from satc.workbench.review.desk import Desk
from satc.workbench.review.growth import Growth

Past = list[tuple[int, NDArray[np.bool_]]]  # documents and their labels

_LEAST_SECONDS = 1.0  # between two estimates
_KEPT_SECONDS = 20.0  # that a look ahead is kept
_CERTIFIED_SECONDS = 60.0  # between two certificates, where a rule asks for them
_MOST_POINTS = 400
_PAST_POINTS = 20  # of the work done before the server was started


class Point(NamedTuple):
    """Estimates of both averages when so many documents were validated."""

    n: int
    macro: Accuracy
    micro: Accuracy


class Monitor:
    """The live estimate of one project; `start` makes it ready."""

    def __init__(self, desk: Desk, growth: Growth | None = None) -> None:
        self._desk = desk
        self._growth = growth
        self._lock = Lock()
        self._model: AccuracyModel | None = None
        self._estimator: AccuracyEstimator | None = None
        self._whole: WholeSums | None = None
        self._changes = -1
        self._at = -np.inf
        self._planning = Lock()
        self._renewing = Lock()
        self._outlook: Outlook | None = None
        self._outlook_at = 0.0
        self._bound: float | None = None
        self._certified_at = -np.inf
        self.points: list[Point] = []

    def start(self) -> Thread:
        """Get ready in the background."""
        thread = Thread(
            target=self.prepare, name=f"estimate {self._desk.project.name}", daemon=True
        )
        thread.start()
        return thread

    def prepare(self) -> None:
        """Build the model, and draw the curve so far; without training data there is neither.

        Nor is there for a part of a set, where nothing can be found out about the rest.
        """
        try:
            self._estimator = accuracy_estimator(self._desk.validation.setting)
        except ValueError:
            return
        if self._growth is not None:
            self._whole = self._growth.sums(self._estimator)
            if self._whole is None:
                return
        with self._renewing:
            with self._desk.locked():
                validation = self._desk.validation
                past = validation.decisions
            model = self._estimator.model(validation.setting, self._whole)
            self.points = self._past(model, past)
            self._attach(validation, model)

    def renew(self) -> None:
        """Follow a project that has grown; the curve so far stays."""
        with self._renewing:
            if self._model is not None and self._estimator is not None:
                validation = self._desk.validation
                self._attach(validation, self._estimator.model(validation.setting, self._whole))

    def _attach(self, validation: Validation, model: AccuracyModel) -> None:
        with self._desk.locked():
            validation.attach(model)
        with self._lock:
            self._model = model
            self._changes = -1

    def _past(self, model: AccuracyModel, past: Past) -> list[Point]:
        """Go through the work that was done before, and leave the model as it was."""
        marks = set(np.linspace(0, len(past), _PAST_POINTS, dtype=int).tolist()) - {len(past)}
        points = []
        for n, (document, labels) in enumerate(past):
            if n in marks:
                points.append(self._point(model, n))
            model.validate(document, labels)
        for document, labels in reversed(past):
            model.revert(document, labels)
        return points

    def latest(self) -> Point | None:
        """Return the present estimate; None while, or where, there is none."""
        with self._lock:
            if self._model is None:
                return None
            stale = self._changes != self._desk.state.changes
            if stale and monotonic() - self._at >= _LEAST_SECONDS:
                self._look(self._model)
            return self.points[-1] if self.points else None

    def messages(self) -> list[str]:
        """Say what people should know: that the work may end, or that the model is off."""
        point = self.latest()
        said = []
        settings = self._desk.project.settings
        if settings.stop and (reason := parse_rule(settings.stop).reason(self._status(point))):
            said.append(f"The work may end: {reason}.")
        if point is not None and not point.macro.assumption.holds:
            said.append(f"The estimate is off: {point.macro.assumption.message}")
        if self._growth is not None and self._growth.error is not None:
            said.append(f"No more documents can be fetched: {self._growth.error}")
        return said

    def _status(self, point: Point | None) -> Status:
        with self._desk.locked():
            record, validated = self._desk.record, self._desk.validation.n_validated
            hours = record.seconds / 3600
            since = self._desk.state.n_since_correction() if self._asks_for("nogain") else 0
        average = self._desk.project.settings.average
        chosen = None if point is None else getattr(point, average)
        price = self._desk.project.settings.price
        return Status(
            documents=validated,
            hours=hours,
            cost=hours * price if price is not None else 0.0,
            draws=None if chosen is None else chosen.draws,
            certified=self._certified() if self._asks_for("certified") else None,
            gain_per_hour=self._gain_per_hour(point, hours) if self._asks_for("gain") else None,
            since_gain=since,
        )

    def _gain_per_hour(self, point: Point | None, hours: float) -> float | None:
        """Return how much the next hour is expected to bring, at the pace so far."""
        if point is None or not hours:
            return None
        outlook = self.outlook()
        if outlook is None:
            return None
        return outlook.afford(hours=1.0).value - outlook.afford(documents=0).value

    def _asks_for(self, rule: str) -> bool:
        return re.search(rf"\b{rule}\(", self._desk.project.settings.stop) is not None

    def _certified(self) -> float | None:
        """Return the certified bound of the average that is to rise; None where there is none."""
        with self._planning:
            if monotonic() - self._certified_at > _CERTIFIED_SECONDS:
                self._certified_at = monotonic()
                settings = self._desk.project.settings
                try:
                    store, project = self._desk.store, self._desk.project
                    certificate = certify_project(store, project, read_history(store, project))
                    self._bound = certificate.low(f"{settings.average}-{settings.measure.upper()}")
                except (DataError, ValueError, KeyError):  # no audit yet, or no such bound
                    self._bound = None
            return self._bound

    def outlook(self, *, minutes: float | None = None) -> Outlook | None:
        """Look ahead from here; None while, or where, there is no model.

        `minutes` is what a document takes; without it, what is known of the reading time of each,
        or the pace so far. It takes a second or two, beside the work, and is then kept for a while.
        """
        with self._planning:
            if self._model is None or not len(self._desk.validation.remaining()):
                return None
            kept = self._outlook
            if (
                kept is None
                or minutes is not None
                or monotonic() - self._outlook_at > _KEPT_SECONDS
            ):
                kept = self._outlook = self._look_ahead(self._model, minutes)
                self._outlook_at = monotonic()
            return kept

    def _look_ahead(self, model: AccuracyModel, minutes: float | None) -> Outlook:
        settings = self._desk.project.settings
        with self._desk.locked():
            record, validation = self._desk.record, self._desk.validation
            order, now = validation.remaining(), model.snapshot()
            order = order[order < len(now.signed)]  # just grown: the model follows in a moment
            worth = validation.setting.worth
            pace = record.seconds / record.n_timed / 60 if record.n_timed else None
        known = worth.cost if worth is not None and settings.reading else pace
        measure = validation.setting.measure
        taking = known if minutes is None else minutes
        return Outlook(now, order, measure, settings.average, taking)

    def _look(self, model: AccuracyModel) -> None:
        with self._desk.locked():
            point = self._point(model, self._desk.validation.n_validated)
            self._changes = self._desk.state.changes
        self._at = monotonic()
        while self.points and self.points[-1].n >= point.n:  # something was undone
            self.points.pop()
        self.points.append(point)
        if len(self.points) > _MOST_POINTS:
            del self.points[1:-1:2]

    def _point(self, model: AccuracyModel, n: int) -> Point:
        measure = self._desk.validation.setting.measure
        macro, micro = (model.accuracy(measure, average, 0.95) for average in ("macro", "micro"))
        return Point(n, macro, micro)
