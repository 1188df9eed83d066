"""Raw connections to a server that is run with short limits, for clients that misbehave."""

from __future__ import annotations

import socket
from contextlib import suppress

from serving import Site

HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"


class StrictSite(Site):
    """A server whose limits of time and number are low enough for a test."""

    program = (
        "-c",
        "from dataclasses import replace\n"
        "from satc.workbench.web.connections.protocol import BoundedProtocol as protocol\n"
        "protocol.limits = replace(protocol.limits, head_seconds=0.5, body_seconds=0.5,\n"
        "    write_seconds=0.5, keep_alive_seconds=1, connections=20)\n"
        "from satc.__main__ import main\n"
        "main()\n",
    )


class Client:
    """A connection that sends bytes as they are."""

    def __init__(self, site: Site) -> None:
        self.socket = socket.create_connection(("127.0.0.1", site.port), timeout=20)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, content: bytes) -> None:
        """Send; a server that has closed the connection is no error."""
        with suppress(ConnectionError):
            self.socket.sendall(content)

    def answer(self) -> bytes:
        """Return everything that comes until the server closes the connection."""
        found = b""
        with suppress(ConnectionError):
            while piece := self.socket.recv(1 << 16):
                found += piece
        return found

    def first(self) -> bytes:
        """Return what comes first."""
        return self.socket.recv(1 << 16)


def status(answer: bytes) -> int | None:
    """Return the status of an answer; None if there was none."""
    return int(answer.split()[1]) if answer else None
