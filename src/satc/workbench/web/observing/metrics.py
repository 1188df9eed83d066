"""Metrics of the server: requests, their times, refused connections, and which version runs."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from satc import __version__

if TYPE_CHECKING:
    from satc.workbench.web.observing.requests import ObservedRequest

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
OTHER = "other"


class ServerMetrics:
    """The metrics of one server.

    Labels have few values: the route with names in the place of values, never the path of a
    request, and "other" for what no route answers.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.seconds = Histogram(
            "satc_http_request_duration_seconds",
            "Time until the response was sent.",
            ("method", "route", "status"),
            buckets=_BUCKETS,
            registry=registry,
        )
        self.in_progress = Gauge(
            "satc_http_requests_in_progress",
            "Requests that are being answered.",
            registry=registry,
        )
        self.connections = Gauge("satc_http_connections", "Open connections.", registry=registry)
        self.refused = Counter(
            "satc_http_refused",
            "Connections that were closed because a request was invalid, too large or too slow.",
            ("status",),
            registry=registry,
        )
        self.lost_lines = Gauge(
            "satc_access_log_lost_lines",
            "Lines of the access log that could not be written.",
            registry=registry,
        )
        build = Gauge("satc_build_info", "Version.", ("version", "python"), registry=registry)
        build.labels(__version__, platform.python_version()).set(1)
        ProcessCollector(registry=registry)

    def note(self, request: ObservedRequest) -> None:
        """Count a request that has ended."""
        method = request.method if request.method in _METHODS else OTHER
        labels = method, request.route or OTHER, str(request.status)
        self.seconds.labels(*labels).observe(request.seconds)
