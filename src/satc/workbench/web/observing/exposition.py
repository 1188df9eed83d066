"""The metrics in the text format of Prometheus, and the port that serves them without a login."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from satc.workbench.web.observing.health import healthy, readiness_response
from satc.workbench.web.observing.observation import Observation
from satc.workbench.web.observing.paths import HEALTH, METRICS, READY


async def metrics_response(observation: Observation) -> Response:
    """Return all metrics; they are read in a thread, because an estimate takes some time."""
    content = await run_in_threadpool(generate_latest, observation.registry)
    return Response(content, headers={"Content-Type": CONTENT_TYPE_LATEST})


class MetricsPort:
    """Answers `/metrics`, `/healthz` and `/readyz` on a port of their own, without a login.

    Requests to other ports go to the application.
    """

    def __init__(self, app: ASGIApp, observation: Observation, port: int) -> None:
        self.app = app
        self.observation = observation
        self.port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by the port that the connection came to."""
        if scope["type"] == "http" and (scope.get("server") or ("", None))[1] == self.port:
            response = await self._respond(scope["path"])
            await response(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _respond(self, path: str) -> Response:
        if path == METRICS:
            return await metrics_response(self.observation)
        if path == HEALTH:
            return healthy()
        if path == READY:
            return await readiness_response(self.observation.readiness)
        return PlainTextResponse("Not Found\n", 404)
