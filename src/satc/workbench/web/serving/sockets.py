"""The sockets of a server, and the addresses by which people reach it."""

from __future__ import annotations

import socket

from satc.workbench.web.access.authentication import Authenticator
from satc.workbench.web.listening import (
    ServerError,
    is_loopback,
    listen,
    listen_on_file,
    shown_host,
)
from satc.workbench.web.serving.settings import ServerSettings


class Sockets:
    """The open sockets of a server: one for people, and perhaps one for metrics.

    Raises
    ------
    ServerError
        If a socket cannot be opened, or others could reach a server without users.
    """

    def __init__(self, settings: ServerSettings, authenticator: Authenticator) -> None:
        host, uds = settings.host, settings.uds
        if authenticator.single_user and (uds is not None or not is_loopback(host)):
            raise ServerError(
                f"to serve {uds or host}, which others can reach, add users first: "
                "satc users add PROJECT NAME --role manager"
            )
        self._settings = settings
        own = listen(host, settings.port) if uds is None else listen_on_file(uds)
        self.all = [own, *([] if settings.metrics is None else [listen(*settings.metrics)])]
        path = f"enter?key={authenticator.link_key}" if authenticator.single_user else ""
        self.base = f"{self._place()}{settings.proxy.root_path}"
        self.address = f"{self.base}/{path}"

    @property
    def metrics_port(self) -> int | None:
        """The port of the metrics, if they have one."""
        return None if self._settings.metrics is None else _port(self.all[1])

    @property
    def metrics_address(self) -> str | None:
        """The address of the metrics, if they have a port of their own."""
        settings = self._settings
        if settings.metrics is None:
            return None
        host = shown_host(settings.metrics[0])
        return f"{settings.scheme}://{host}:{self.metrics_port}/metrics"

    def close(self) -> None:
        """Close all sockets, and remove a Unix socket."""
        for one in self.all:
            one.close()
        if self._settings.uds is not None:
            self._settings.uds.unlink(missing_ok=True)

    def _place(self) -> str:
        settings = self._settings
        if settings.uds is not None:
            return f"unix:{settings.uds}"
        return f"{settings.scheme}://{shown_host(settings.host)}:{_port(self.all[0])}"


def _port(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])
