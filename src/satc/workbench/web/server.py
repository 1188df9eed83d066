"""The server: one process per store; the store is locked while it runs."""

from __future__ import annotations

import gc
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

import uvicorn
from fastapi import FastAPI

from satc.errors import SatcError
from satc.workbench.store import Store
from satc.workbench.web.app import make_app
from satc.workbench.web.authentication import Authenticator

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class ServerError(SatcError):
    """The server cannot start."""


def serve(
    store: Store,
    *,
    host: str,
    port: int,
    certificate: str | None = None,
    key: str | None = None,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve a store until interrupted.

    Parameters
    ----------
    host, port
        Where to listen; port 0 takes a free one. Without users, `host` must be this machine.
    certificate, key
        Files for HTTPS.
    ready
        Called with the address once the server answers; without users it contains the secret key.
    """
    store.lock()
    app = make_app(store)
    authenticator: Authenticator = app.state.authenticator
    if authenticator.single_user and not is_loopback(host):
        raise ServerError(
            f"to serve {host}, which others can reach, add users first: "
            "satc users add PROJECT NAME --role manager"
        )
    _open_all_projects(app)
    listener = _listen(host, port)
    scheme = "http" if certificate is None else "https"
    address = _address(scheme, host, listener.getsockname()[1], authenticator)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    try:
        _Server(config, lambda: ready(address)).run(sockets=[listener])
    finally:
        listener.close()


def _open_all_projects(app: FastAPI) -> None:
    open_projects = app.state.open_projects
    for name in open_projects.names():
        open_projects.open(name)
    gc.collect()
    gc.freeze()  # later garbage collections skip these objects and stay short


def _address(scheme: str, host: str, port: int, authenticator: Authenticator) -> str:
    shown = f"[{host}]" if ":" in host else host
    path = f"enter?key={authenticator.link_key}" if authenticator.single_user else ""
    return f"{scheme}://{shown}:{port}/{path}"


class _Server(uvicorn.Server):
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


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # asyncio sets TCP_NODELAY, which sends small responses at once, only on sockets that were
        # created with IPPROTO_TCP.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(256)
    except OSError as error:
        raise ServerError(
            f"port {port} of {host} cannot be used ({error.strerror}); --port 0 takes a free one"
        ) from error
    return listener
