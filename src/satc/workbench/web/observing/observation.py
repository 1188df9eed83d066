"""`Observation`: everything that is observed of one server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry

from satc.workbench.store import Store
from satc.workbench.web.observing.access_log import AccessLog
from satc.workbench.web.observing.metrics import ServerMetrics
from satc.workbench.web.observing.outage_log import OutageLog
from satc.workbench.web.observing.paths import NOT_LOGGED
from satc.workbench.web.observing.readiness import Readiness

if TYPE_CHECKING:
    from satc.workbench.web.observing.requests import ObservedRequest


class Observation:
    """The metrics, the readiness and the log of one server.

    Each server has a registry of metrics of its own, so two in one process do not share figures.
    """

    def __init__(
        self, store: Store, *, is_opened: bool = True, access_log: AccessLog | None = None
    ) -> None:
        self.registry = CollectorRegistry()
        self.metrics = ServerMetrics(self.registry)
        self.readiness = Readiness(store, is_opened=is_opened)
        self.outages = OutageLog()
        self.access_log = access_log
        if access_log is not None:
            self.metrics.lost_lines.set_function(lambda: access_log.n_lost)

    @contextmanager
    def observing(self, request: ObservedRequest) -> Iterator[None]:
        """Note a request when it ends."""
        self.metrics.in_progress.inc()
        try:
            yield
        except Exception:
            request.status = 500
            raise
        finally:
            self.metrics.in_progress.dec()
            self.metrics.note(request)
            if self.access_log is not None and request.path not in NOT_LOGGED:
                self.access_log.note(request)
