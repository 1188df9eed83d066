"""A real HTTP server that receives webhooks, and answers as a test wants."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from threading import Event, Thread
from typing import NamedTuple


class Received(NamedTuple):
    """A request: its headers, its body, and the path."""

    headers: dict[str, str]
    body: bytes
    path: str

    @property
    def message(self):
        return json.loads(self.body)

    @property
    def id(self):
        return self.headers["Satc-Webhook-Id"]


class Receiver:
    """Receives webhooks.

    `answers` are the statuses of the next answers; then all are 204. While `is_open` is not set, no
    request is answered. `headers` and `answer` are those of every answer. `close` ends the server;
    `open` starts it again on the same port.
    """

    def __init__(self, tls=None) -> None:
        self.received: Queue[Received] = Queue()
        self.answers: list[int] = []
        self.headers: dict[str, str] = {}
        self.answer = b""
        self.is_open = Event()
        self.is_open.set()
        self._tls = tls
        self._server = None
        self.port = 0
        self.open()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def open(self) -> None:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.received.put(Received(dict(self.headers), body, self.path))
                receiver.is_open.wait(30)
                self.send_response(receiver.answers.pop(0) if receiver.answers else 204)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(receiver.answer)
                except OSError:  # the sender has closed the connection
                    self.close_connection = True

            def log_message(self, *_) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        if self._tls is not None:
            self._server.socket = self._tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def take(self, n: int) -> list[Received]:
        """Wait for n requests and return them."""
        return [self.received.get(timeout=30) for _ in range(n)]

    def is_empty(self) -> bool:
        """Whether no request came; looks for a moment."""
        try:
            self.received.get(timeout=0.3)
        except Empty:
            return True
        return False
