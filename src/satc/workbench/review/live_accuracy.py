"""The live accuracy of a project: the present estimate, its curve so far, and the forecast.

Preparing the model of accuracy takes a while, so it is done in a background thread. An estimate
then takes some milliseconds. It is made on request, if labels have changed since the last one, and
at most once per second.
"""

from __future__ import annotations

from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import Accuracy, AccuracyModel, DocumentSums
from satc.assurance.live.estimator import AccuracyEstimator, accuracy_estimator
from satc.assurance.live.planner import Outlook
from satc.assurance.stopping_rules import Rule, Status, parse_rule
from satc.errors import DataError
from satc.validation import Validation
from satc.workbench.project.certificate import certify_project
from satc.workbench.project.history import read_history
from satc.workbench.review.desk import Desk

if TYPE_CHECKING:
    from satc.workbench.review.growth import Growth

Past = list[tuple[int, NDArray[np.bool_]]]  # documents and their labels

_ESTIMATE_SECONDS = 1.0  # least time between two estimates
_FORECAST_SECONDS = 20.0  # for so long a forecast is reused
_CERTIFIED_SECONDS = 60.0  # least time between two certificates
_MAX_POINTS = 400
_ESTIMATED = ("draws", "gain_per_hour")  # facts of stopping rules that come from the estimate
_PAST_POINTS = 20  # on the part of the curve before the server was started


class Point(NamedTuple):
    """The estimates of both averages when `n` documents were validated."""

    n: int
    macro: Accuracy
    micro: Accuracy


class LiveAccuracy:
    """The live accuracy of one project; there is none until `start` or `prepare` has finished."""

    def __init__(self, desk: Desk, growth: Growth | None = None) -> None:
        self._desk = desk
        self._growth = growth
        self._lock = Lock()
        self._model: AccuracyModel | None = None
        self._estimator: AccuracyEstimator | None = None
        self._whole: DocumentSums | None = None
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
        """Prepare in a background thread."""
        thread = Thread(
            target=self.prepare, name=f"estimate {self._desk.project.name}", daemon=True
        )
        thread.start()
        return thread

    def prepare(self) -> None:
        """Build the model of accuracy, and compute the curve of the decisions made so far.

        Both need training data. A project that holds a part of a larger set also needs the sums of
        the rest of that set.
        """
        try:
            self._estimator = accuracy_estimator(self._desk.validation.model)
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
            model = self._estimator.model(validation.documents, self._whole)
            self.points = self._past(model, past)
            self._attach(validation, model)

    def extend(self) -> None:
        """Rebuild the model for a project that has more documents now; the curve so far stays."""
        with self._renewing:
            if self._model is not None and self._estimator is not None:
                validation = self._desk.validation
                self._attach(validation, self._estimator.model(validation.documents, self._whole))

    def _attach(self, validation: Validation, model: AccuracyModel) -> None:
        with self._desk.locked():
            validation.attach(model)
        with self._lock:
            self._model = model
            self._changes = -1

    def _past(self, model: AccuracyModel, past: Past) -> list[Point]:
        """Replay past decisions to compute the curve, then undo them in the model."""
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
        """Return the present estimate; None if there is no model (yet)."""
        with self._lock:
            if self._model is None:
                return None
            stale = self._changes != self._desk.state.changes
            if stale and monotonic() - self._at >= _ESTIMATE_SECONDS:
                self._add_point(self._model)
            return self.points[-1] if self.points else None

    def messages(self) -> list[str]:
        """Return messages for the page: a stopping rule is met, the estimate is unreliable, ..."""
        point = self.latest()
        said = []
        settings = self._desk.project.settings
        if settings.stop:
            rule = parse_rule(settings.stop)
            if reason := rule.reason(self._status(point, rule)):
                said.append(f"The work may end: {reason}.")
        if point is not None and not point.macro.assumption.holds:
            said.append(f"The estimate may be wrong: {point.macro.assumption.message}")
        if self._growth is not None and self._growth.error is not None:
            said.append(f"No more documents can be fetched: {self._growth.error}")
        return said

    def why_unknown(self) -> str | None:
        """Say what an estimate of accuracy still needs; None if only time, or training data."""
        return None

    def needs_estimate(self) -> bool:
        """Whether the stopping rule of the project needs an estimate of accuracy."""
        stop = self._desk.project.settings.stop
        return bool(stop) and not parse_rule(stop).needs.isdisjoint(_ESTIMATED)

    def _status(self, point: Point | None, rule: Rule) -> Status:
        with self._desk.locked():
            record, validated = self._desk.record, self._desk.validation.n_validated
            hours = record.seconds / 3600
            since = self._desk.state.n_since_correction() if "since_gain" in rule.needs else 0
        average = self._desk.project.settings.average
        chosen = None if point is None else getattr(point, average)
        price = self._desk.project.settings.price
        return Status(
            documents=validated,
            hours=hours,
            cost=hours * price if price is not None else 0.0,
            draws=None if chosen is None else chosen.draws,
            certified=self._certified() if "certified" in rule.needs else None,
            gain_per_hour=(
                self._gain_per_hour(point, hours) if "gain_per_hour" in rule.needs else None
            ),
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
        """Forecast the accuracy of the work ahead; None if there is no model or nothing is left.

        `minutes` is the time that a document takes. Without it, the known reading times are used,
        or else the average time so far. A forecast takes a second or two, and is reused for a
        while.
        """
        with self._planning:
            if self._model is None or not len(self._desk.validation.remaining()):
                return None
            known = self._outlook
            if (
                known is None
                or minutes is not None
                or monotonic() - self._outlook_at > _FORECAST_SECONDS
            ):
                known = self._outlook = self._forecast(self._model, minutes)
                self._outlook_at = monotonic()
            return known

    def _forecast(self, model: AccuracyModel, minutes: float | None) -> Outlook:
        settings = self._desk.project.settings
        with self._desk.locked():
            record, validation = self._desk.record, self._desk.validation
            order, now = validation.remaining(), model.snapshot()
            order = order[order < len(now.signed)]  # more documents came: the model gets them soon
            costs = validation.documents.costs
            pace = record.seconds / record.n_timed / 60 if record.n_timed else None
        known = costs if costs is not None and settings.reading else pace
        measure = validation.model.measure
        taking = known if minutes is None else minutes
        return Outlook(now, order, measure, settings.average, taking)

    def _add_point(self, model: AccuracyModel) -> None:
        with self._desk.locked():
            point = self._point(model, self._desk.validation.n_validated)
            self._changes = self._desk.state.changes
        self._at = monotonic()
        while self.points and self.points[-1].n >= point.n:  # a decision was undone
            self.points.pop()
        self.points.append(point)
        if len(self.points) > _MAX_POINTS:
            del self.points[1:-1:2]

    def _point(self, model: AccuracyModel, n: int) -> Point:
        measure = self._desk.validation.model.measure
        macro, micro = (model.accuracy(measure, average, 0.95) for average in ("macro", "micro"))
        return Point(n, macro, micro)
