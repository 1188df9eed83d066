"""An application that a thread of the test serves."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

from satc.workbench.web.proxy.middleware import BehindProxy
from satc.workbench.web.proxy.settings import ProxySettings


@contextmanager
def running(app: ASGIApp, proxy: ProxySettings) -> Iterator[int]:
    """Run an application in a thread, behind proxies; give its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        BehindProxy(app, proxy),
        proxy_headers=False,
        log_level="error",
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        server.should_exit = server.force_exit = True
        thread.join(10)
        listener.close()
