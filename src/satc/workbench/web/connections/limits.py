"""The limits of connections: bytes and number of headers, time, and number of connections."""

from __future__ import annotations

import sys
from dataclasses import dataclass

_MOST_CONNECTIONS = 1_000


def most_connections() -> int:
    """Return how many connections are kept: half of the files that this process may open."""
    if sys.platform == "win32":
        return _MOST_CONNECTIONS // 2
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return min(_MOST_CONNECTIONS, max(files // 2, 16))


@dataclass(frozen=True)
class ConnectionLimits:
    """What a client may send, and how long it may take.

    Attributes
    ----------
    head_bytes, headers, url_bytes
        The largest head of a request, the most headers in it, and the longest address.
    pipelined
        The most requests that wait behind an unfinished one on the same connection.
    head_seconds
        The time until the head of a request is complete, counted from its first byte, or from the
        connection.
    body_seconds, body_rate
        A body may take `body_seconds`, and one second more for each `body_rate` bytes received.
    write_seconds
        The time in which a client must read what was sent to it.
    keep_alive_seconds
        How long a connection may be idle between two requests.
    connections
        How many connections are kept at once. When there are more, the one that waits longest for
        a request is closed.
    """

    head_bytes: int = 32 << 10
    headers: int = 100
    url_bytes: int = 8 << 10
    pipelined: int = 16
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    body_rate: float = 500.0
    write_seconds: float = 60.0
    keep_alive_seconds: int = 5
    connections: int = most_connections()
