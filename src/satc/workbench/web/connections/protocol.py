"""uvicorn's HTTP protocol with limits on what a connection may send, and on how long it may take.

The parser keeps a header in memory until it is complete, and copies it with each piece that comes.
So bytes are counted before they reach the parser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from satc.workbench.web.connections.deadline import Deadline
from satc.workbench.web.connections.limits import ConnectionLimits

_PIECE = 64 << 10  # bytes that the parser gets at once


class RefusedError(Exception):
    """A request exceeds a limit; raised in a callback, it stops the parser."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection.

    `limits` are those of all connections. `on_refusal` is called with the status of each refusal.
    """

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()
    on_refusal: ClassVar[Callable[[int], None]] = staticmethod(lambda status: None)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.waits_since = self.loop.time()
        self._head = Deadline(self.loop, self._head_is_late)
        self._body = Deadline(self.loop, self._body_is_late)
        self._write = Deadline(self.loop, self._write_is_late)
        self._refusal: HTTPStatus | None = None
        self._in_head = True
        self._has_begun = False  # the head of a request has begun and is not complete
        self._uncounted = 0  # bytes since the last part of a request was complete
        self._n_headers = 0
        self._n_bytes = 0  # of the address and the headers
        self._body_bytes = 0
        self._body_since = 0.0

    # Connections

    @property
    def waits(self) -> bool:
        """Whether the client has sent no complete head that is still to be answered."""
        is_answered = self.cycle is None or self.cycle.response_complete
        return self._in_head and is_answered and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection; if there are too many, close one that waits, or else this one."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            others = (one for one in self.connections if one is not self)
            if (oldest := _waiting_longest(others)) is None:
                self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)
                return
            oldest.transport.close()
        self._head.start(self.limits.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all deadlines."""
        for one in (self._head, self._body, self._write):
            one.stop()
        super().connection_lost(exc)

    # What comes in

    def data_received(self, data: bytes) -> None:
        """Give what has come to the parser, piece by piece, until a limit is exceeded."""
        for start in range(0, len(data), _PIECE):
            if self.transport.is_closing():
                return
            piece = data[start : start + _PIECE]
            self._uncounted += len(piece)
            super().data_received(piece)
            if self._uncounted > self.limits.head_bytes and not self.transport.is_closing():
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
                return
        self._set_deadlines()

    def _set_deadlines(self) -> None:
        if self.transport.is_closing():
            return
        if not self._in_head:
            if not self._body.is_running:
                self._body.start(self.limits.body_seconds)
            return
        self._body.stop()
        if (self._has_begun or self._uncounted) and not self._head.is_running:
            self._head.start(self.limits.head_seconds)

    def on_message_begin(self) -> None:
        """Count the headers from zero."""
        if len(self.pipeline) >= self.limits.pipelined:
            self._stop_parser(HTTPStatus.TOO_MANY_REQUESTS)
        self._in_head = self._has_begun = True
        self._n_headers = self._n_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count the bytes of the address."""
        self._n_bytes += len(url)
        if self._n_bytes > self.limits.url_bytes:
            self._stop_parser(HTTPStatus.REQUEST_URI_TOO_LONG)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count headers and their bytes; those after the body are counted and dropped."""
        self._n_headers += 1
        self._n_bytes += len(name) + len(value) + 4
        if self._n_headers > self.limits.headers or self._n_bytes > self.limits.head_bytes:
            self._stop_parser(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start to count the body."""
        self._head.stop()
        self._in_head = self._has_begun = False
        self._uncounted = self._body_bytes = 0
        self._body_since = self.loop.time()
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Note that a part of the body begins."""
        self._uncounted = 0

    def on_body(self, body: bytes) -> None:
        """Count the bytes of the body, which another part of the program limits."""
        self._uncounted = 0
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait for the next request."""
        self._in_head = True
        self._uncounted = 0
        self.waits_since = self.loop.time()
        super().on_message_complete()

    # What goes out

    def on_response_complete(self) -> None:
        """Close the connection later if the client does not read the response."""
        super().on_response_complete()
        self.waits_since = self.loop.time()
        if self.transport.get_write_buffer_size():
            self._write.start(self.limits.write_seconds)

    def pause_writing(self) -> None:
        """Wait until the client reads, for a limited time."""
        super().pause_writing()
        self._write.start(self.limits.write_seconds)

    def resume_writing(self) -> None:
        """Go on, because the client reads."""
        self._write.stop()
        super().resume_writing()

    # Limits that are exceeded

    def _head_is_late(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._head.start(self.limits.head_seconds)  # an earlier request is being answered
        elif self._has_begun:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.transport.close()

    def _body_is_late(self) -> None:
        now = self.loop.time()
        if self.flow.read_paused:  # it is the server that does not read
            self._body_since, self._body_bytes = now, 0
        seconds = self.limits.body_seconds + self._body_bytes / self.limits.body_rate
        left = self._body_since + seconds - now
        if left > 0:
            self._body.start(left)
        elif self.cycle is not None and self.cycle.response_complete:
            self.transport.close()  # the request was answered without its body
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)

    def _write_is_late(self) -> None:
        if self.flow.write_paused or self.transport.get_write_buffer_size():
            self.transport.abort()

    def _stop_parser(self, status: HTTPStatus) -> None:
        self._refusal = status
        raise RefusedError

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be parsed, or that was refused while it was parsed."""
        self._refuse(self._refusal or HTTPStatus.BAD_REQUEST)

    def _refuse(self, status: HTTPStatus) -> None:
        """Close the connection; say why, unless a response is being sent."""
        type(self).on_refusal(status)
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(_response(status))
        self.transport.close()
        self._write.start(self.limits.write_seconds)


def _waiting_longest(connections: Iterable[Any]) -> BoundedProtocol | None:
    """Return the connection that waits longest for a request; None if none waits."""
    waiting = (one for one in connections if isinstance(one, BoundedProtocol) and one.waits)
    return min(waiting, key=lambda one: one.waits_since, default=None)


def _response(status: HTTPStatus) -> bytes:
    text = f"{status.phrase}\n"
    lines = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "content-type: text/plain; charset=utf-8",
        f"content-length: {len(text)}",
        "connection: close",
        *(["retry-after: 5"] if status is HTTPStatus.SERVICE_UNAVAILABLE else []),
    )
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode() + text.encode()
