"""Metrics of the open projects, read when somebody asks for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from satc.workbench.model.events import LEARN
from satc.workbench.review.accuracy.live import Point
from satc.workbench.review.open_projects import OpenProject, OpenProjects
from satc.workbench.store import Store, StoreError
from satc.workbench.store.events import count_kinds
from satc.workbench.web.observing.readiness import Readiness

_PROJECT = ("project",)


@dataclass
class _Counted:
    """How many events of each kind a project had, up to an event."""

    last: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


class ProjectMetrics(Collector):
    """Decisions, documents, leases and estimates of the open projects.

    Decisions are counted in the log of events, so they are those that are saved, also after a
    restart. Only the events since the last call are read.
    """

    def __init__(self, projects: OpenProjects, readiness: Readiness) -> None:
        self._projects = projects
        self._readiness = readiness
        self._counted: dict[str, _Counted] = {}
        self._lock = Lock()

    def describe(self) -> list[Metric]:
        """Return nothing, so that registering reads no project."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Read all metrics."""
        found = self._projects.open_now()
        usable = self._readiness.is_store_usable()
        yield GaugeMetricFamily(
            "satc_store_usable", "Whether the database can be used.", value=usable
        )
        yield self._decisions(found, usable)
        yield from _states(found)
        yield from _estimates(found)

    def _decisions(self, found: dict[str, OpenProject], usable: bool) -> Metric:
        family = CounterMetricFamily(
            "satc_decisions",
            "Entries in the log of a project, by kind: decide, second, revise, undo, skip, ...",
            labels=("project", "kind"),
        )
        with self._lock:
            for name, project in found.items():
                counted = self._counted.setdefault(name, _Counted())
                if usable:
                    _count_more(project.desk.store, project.desk.project.key, counted)
                for kind, n in sorted(counted.kinds.items()):
                    family.add_metric((name, kind), n)
        return family


def _count_more(store: Store, project: int, counted: _Counted) -> None:
    """Count the events since the last time; a database that cannot be read changes nothing."""
    try:
        kinds, counted.last = count_kinds(store, project, counted.last)
    except StoreError:
        return
    kinds.pop(LEARN, None)
    counted.kinds.update(kinds)


def _states(found: dict[str, OpenProject]) -> Iterator[Metric]:
    total = GaugeMetricFamily("satc_documents", "Documents of a project.", labels=_PROJECT)
    checked = GaugeMetricFamily(
        "satc_documents_checked", "Documents that somebody has decided on.", labels=_PROJECT
    )
    leases = GaugeMetricFamily(
        "satc_open_leases", "Documents that people have open.", labels=_PROJECT
    )
    for name, project in found.items():
        desk = project.desk
        total.add_metric((name,), desk.project.n_whole)
        checked.add_metric((name,), desk.validation.n_validated)
        leases.add_metric((name,), desk.leases.n_open())
    yield from (total, checked, leases)


def _estimates(found: dict[str, OpenProject]) -> Iterator[Metric]:
    labels = ("project", "measure", "average")
    value = GaugeMetricFamily("satc_accuracy_estimate", "Estimated accuracy.", labels=labels)
    low, high = (
        GaugeMetricFamily(
            f"satc_accuracy_estimate_{end}", f"The {end} end of its 95% interval.", labels=labels
        )
        for end in ("low", "high")
    )
    for name, project in found.items():
        if (point := _latest(project)) is None:
            continue
        settings = project.desk.project.settings
        for average, one in (("macro", point.macro), ("micro", point.micro)):
            key = (name, settings.measure, average)
            value.add_metric(key, one.value)
            low.add_metric(key, one.low)
            high.add_metric(key, one.high)
    yield from (value, low, high)


def _latest(project: OpenProject) -> Point | None:
    """Return the present estimate; None if there is none, or if the database cannot be read."""
    try:
        return project.live_accuracy.latest()
    except StoreError:
        return None
