"""The live accuracy of a project: the present estimate, its curve so far, and the forecast.

Preparing the model of accuracy takes a while, so it is done in a background thread. An estimate
then takes some milliseconds. It is made on request, if labels have changed since the last one, and
at most once per second.
"""

from __future__ import annotations

from itertools import pairwise
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import Accuracy, AccuracyModel, DocumentSums
from satc.assurance.live.estimator import AccuracyEstimator, accuracy_estimator
from satc.assurance.live.planner import Outlook
from satc.assurance.stopping_rules import Rule, Status, parse_rule
from satc.calibration.remembered import make_ready
from satc.errors import DataError, StateError
from satc.validation import Validation
from satc.workbench.messages import Message
from satc.workbench.project.certificate import certify_project
from satc.workbench.project.history import read_history
from satc.workbench.review.accuracy.forecast import AgedOutlook, Basis, Forecast
from satc.workbench.review.accuracy.stopping import MetRule, met_rule
from satc.workbench.review.desk import Desk

if TYPE_CHECKING:
    from satc.workbench.review.growth import Growth

Past = list[tuple[int, NDArray[np.bool_]]]  # documents and their labels

_ESTIMATE_SECONDS = 1.0  # least time between two estimates
_CERTIFIED_SECONDS = 60.0  # least time between two certificates
_MAX_POINTS = 400
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
        self._certifying = Lock()
        self._renewing = Lock()
        self._forecast = Forecast(self._compute_outlook, desk.project.name)
        self._bound: float | None = None
        self._cannot: Message | None = None  # why there can be no estimate
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
        make_ready(self._desk.validation.model.calibrator)  # explanations wait for it
        try:
            self._estimator = accuracy_estimator(self._desk.validation.model)
        except ValueError:
            self._cannot = Message("server.accuracy_no_training")
            return
        if self._growth is not None:
            self._whole = self._growth.sums(self._estimator)
            if self._whole is None:
                self._cannot = Message("server.accuracy_no_sums")
                return
        with self._renewing:
            with self._desk.reading():
                validation = self._desk.validation
                past = validation.decisions
            model = self._estimator.model(validation.documents, self._whole)
            self.points = self._past(model, past)
            self._attach(validation, model, past)

    def extend(self) -> None:
        """Rebuild the model for a project that has more documents now; the curve so far stays."""
        with self._renewing:
            if self._model is not None and self._estimator is not None:
                validation = self._desk.validation
                past = validation.decisions
                model = self._estimator.model(validation.documents, self._whole)
                model.validate_all(past)
                self._attach(validation, model, past)

    def _attach(self, validation: Validation, model: AccuracyModel, past: Past) -> None:
        """Go on with a model that has been given past decisions; only newer ones are missing."""
        with self._desk.reading():
            validation.attach(model, past)
        with self._lock:
            self._model = model
            self._changes = -1

    def _past(self, model: AccuracyModel, past: Past) -> list[Point]:
        """Give past decisions to the model, and compute the curve on the way."""
        marks = np.unique(np.linspace(0, len(past), _PAST_POINTS, dtype=int)).tolist()
        points = []
        for n, later in pairwise(marks):
            points.append(self._point(model, n))
            model.validate_all(past[n:later])
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

    def messages(self) -> list[Message]:
        """Return the technical problems of the estimate."""
        if self._growth is None or self._growth.error is None:
            return []
        return [Message("server.fetching_failed", error=self._growth.error)]

    def why_unknown(self) -> Message | None:
        """Say why there is no estimate of accuracy; None if there is one."""
        if self._model is not None:
            return None
        return self._cannot or Message("server.accuracy_soon")

    def met_rule(self) -> MetRule | None:
        """Return why the stopping rule is met; None if it is not, or if there is none."""
        settings = self._desk.project.settings
        if not settings.stop:
            return None
        rule = parse_rule(settings.stop)
        return met_rule(rule, self._status(self.latest(), rule), settings.measure_name)

    def _status(self, point: Point | None, rule: Rule) -> Status:
        with self._desk.reading():
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
        with self._certifying:
            if monotonic() - self._certified_at > _CERTIFIED_SECONDS:
                self._certified_at = monotonic()
                settings = self._desk.project.settings
                try:
                    store, project = self._desk.store, self._desk.project
                    history = read_history(store, project)
                    certificate = certify_project(store, project, history, with_classes=False)
                    self._bound = certificate.low(f"{settings.average}-{settings.measure.upper()}")
                except (DataError, ValueError, KeyError):  # no audit yet, or no such bound
                    self._bound = None
            return self._bound

    def outlook(self, *, minutes: float | None = None) -> AgedOutlook | None:
        """Forecast the accuracy of the work ahead; None if there is no model or nothing is left.

        `minutes` is the time that a document takes. Without it, the known reading times are used,
        or else the average time so far.
        """
        basis, left = self._basis()
        if basis is None:
            return None
        if minutes is not None:
            return AgedOutlook(self._compute_outlook(minutes)[1], 0, left)
        return self._forecast.get(basis, left)

    def known_outlook(self) -> AgedOutlook | None:
        """Return the last forecast without waiting; None if there is none yet."""
        basis, left = self._basis()
        return None if basis is None else self._forecast.get_soon(basis, left)

    def _basis(self) -> tuple[Basis | None, int]:
        """Return what a forecast would rest on now, and how many documents are left."""
        with self._desk.reading():
            validation, model = self._desk.validation, self._model
            left = self._desk.project.n_whole - validation.n_validated
            if model is None or validation.n_validated == validation.n_documents:
                return None, left
            return Basis(model, self._desk.state.changes, validation.n_validated), left

    def _compute_outlook(self, minutes: float | None = None) -> tuple[Basis, Outlook]:
        settings = self._desk.project.settings
        with self._desk.reading():
            record, validation, model = self._desk.record, self._desk.validation, self._model
            if model is None:
                raise StateError("there is no model of accuracy yet")
            order, now = validation.remaining(), model.snapshot()
            order = order[order < len(now.signed)]  # more documents came: the model gets them soon
            costs = validation.documents.costs
            pace = record.seconds / record.n_timed / 60 if record.n_timed else None
            basis = Basis(model, self._desk.state.changes, validation.n_validated)
        known = costs if costs is not None and settings.reading else pace
        taking = known if minutes is None else minutes
        return basis, Outlook(now, order, validation.model.measure, settings.average, taking)

    def _add_point(self, model: AccuracyModel) -> None:
        with self._desk.reading():
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
