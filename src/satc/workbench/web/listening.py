"""The socket that a server listens on: a port of an address, or a Unix socket for a proxy."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import closing
from ipaddress import ip_address
from pathlib import Path

from satc.errors import SatcError

_BACKLOG = 256
_PROXY_MASK = 0o117  # only the owner and the group may open a Unix socket


class ServerError(SatcError):
    """The server cannot start."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def shown_host(host: str) -> str:
    """Return a host as it stands in an address.

    >>> shown_host("::1"), shown_host("localhost")
    ('[::1]', 'localhost')
    """
    return f"[{host}]" if ":" in host else host


def listen(host: str, port: int) -> socket.socket:
    """Listen on a port; port 0 takes a free one.

    Raises
    ------
    ServerError
        If the port cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY, which sends small responses at once, only on sockets that were
    # created with IPPROTO_TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise ServerError(
            f"port {port} of {host} cannot be used ({error.strerror}); --port 0 takes a free one"
        ) from error
    return listener


def listen_on_file(path: Path) -> socket.socket:
    """Listen on a Unix socket, which replaces one that no server uses any more.

    Raises
    ------
    ServerError
        If there is another file, if a server uses the socket, or if it cannot be made.
    """
    _remove_unused(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    former = os.umask(_PROXY_MASK)
    try:
        listener.bind(str(path))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise ServerError(f"the socket {path} cannot be made ({error.strerror})") from error
    finally:
        os.umask(former)
    return listener


def _remove_unused(path: Path) -> None:
    """Remove the socket of a server that has ended without removing it."""
    if not path.exists():
        return
    if not stat.S_ISSOCK(path.stat().st_mode):
        raise ServerError(f"--uds must name a socket or a new file, but {path} is another file")
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        if probe.connect_ex(str(path)) == 0:
            raise ServerError(f"the socket {path} is used by another server")
    path.unlink()
