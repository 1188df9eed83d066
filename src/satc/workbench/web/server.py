"""The server: one process per store, which it keeps to itself."""

from __future__ import annotations

import gc
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

import uvicorn

from satc.errors import SatcError
from satc.workbench.store import Store
from satc.workbench.web.app import make_app

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
        Where to listen; port 0 takes a free one. Without users only the machine itself is served.
    certificate, key
        Files for HTTPS.
    ready
        Told the address once people can come; with the secret, where there are no users.
    """
    store.lock()
    app = make_app(store)
    access = app.state.access
    if access.single_user and not is_loopback(host):
        raise ServerError(
            f"to serve {host}, which others can reach, add users first: "
            "satc users add PROJECT NAME --role manager"
        )
    desks = app.state.desks
    for name in desks.names():
        desks.open(name)
    gc.collect()
    gc.freeze()  # what is there now stays: going through it again would hold everybody up
    listening = _listen(host, port)
    scheme = "http" if certificate is None else "https"
    shown = f"[{host}]" if ":" in host else host
    address = f"{scheme}://{shown}:{listening.getsockname()[1]}/"
    entrance = f"{address}enter?key={access.link_key}" if access.single_user else address
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
        _Server(config, lambda: ready(entrance)).run(sockets=[listening])
    finally:
        listening.close()


class _Server(uvicorn.Server):
    """Says when people can come, and ends in order when it is told to: then all is well."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so: from here on a signal ends it in order."""
        await super().startup(sockets)
        if not self.should_exit:
            self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Heed signals while it serves, without sending them on to others in the end."""
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
    """Whether only the machine itself can reach this.

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
        # asyncio sends small answers at once (TCP_NODELAY) only if it is told that this is TCP.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(256)
    except OSError as error:
        raise ServerError(
            f"port {port} of {host} cannot be used ({error.strerror}); --port 0 takes a free one"
        ) from error
    return listening
