"""uvicorn as we use it: with our limits of connections, and without its own log and headers."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

import uvicorn
from starlette.types import ASGIApp

from satc.workbench.web.connections.protocol import BoundedProtocol
from satc.workbench.web.observing.observation import Observation
from satc.workbench.web.serving.settings import ServerSettings

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class ReportingServer(uvicorn.Server):
    """A uvicorn server that reports when it is ready and returns normally after a signal."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then report that the server is ready."""
        await super().startup(sockets)
        if not self.should_exit:
            self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal; uvicorn would raise the signal again afterwards, this does not."""
        if current_thread() is not main_thread():
            yield
            return
        former = {one: signal.signal(one, self.handle_exit) for one in _SIGNALS}
        try:
            yield
        finally:
            for one, handler in former.items():
                signal.signal(one, handler)


def configuration(
    app: ASGIApp, settings: ServerSettings, observation: Observation
) -> uvicorn.Config:
    """Return the configuration of uvicorn."""
    return uvicorn.Config(
        app,
        http=_protocol(observation),
        ws="none",
        timeout_keep_alive=BoundedProtocol.limits.keep_alive_seconds,
        proxy_headers=False,  # they would be believed from this machine; `BehindProxy` asks who
        log_level="warning",
        access_log=False,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
        server_header=False,
        timeout_graceful_shutdown=10,
        lifespan="off",
    )


def _protocol(observation: Observation) -> type[BoundedProtocol]:
    """Return the protocol of the connections, which counts refusals in the metrics."""
    refused = observation.metrics.refused

    def count(status: int) -> None:
        refused.labels(str(int(status))).inc()

    return type("ObservedProtocol", (BoundedProtocol,), {"on_refusal": staticmethod(count)})
