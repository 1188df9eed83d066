"""A real HTTP server for one file: it can refuse parts, cut connections and change the file."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """The settings of the server, and the requests that it got."""

    content: bytes
    etag: str | None = '"v1"'
    modified: str | None = None
    ranges: bool = True
    honest_if_range: bool = True
    cut_after: int | None = None
    status: int | None = None
    send_length: bool = True
    content_range: str | None = None
    asked: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def body(self, headers) -> tuple[int, dict[str, str], bytes]:
        if self.status is not None:
            return self.status, {}, b"no"
        extra = {"ETag": self.etag, "Last-Modified": self.modified}
        extra = {name: value for name, value in extra.items() if value is not None}
        offset = self._offset(headers)
        if offset is None:
            return 200, extra, self.content
        if offset >= len(self.content):
            return 416, {"Content-Range": f"bytes */{len(self.content)}"}, b""
        size = len(self.content)
        extra["Content-Range"] = self.content_range or f"bytes {offset}-{size - 1}/{size}"
        return 206, extra, self.content[offset:]

    def _offset(self, headers) -> int | None:
        if not self.ranges or "Range" not in headers:
            return None
        if self.honest_if_range and headers.get("If-Range") not in (None, self.etag, self.modified):
            return None
        return int(headers["Range"].removeprefix("bytes=").removesuffix("-"))


class _Handler(BaseHTTPRequestHandler):
    served: Served

    def do_GET(self):
        self.served.asked.append(dict(self.headers))
        status, headers, body = self.served.body(self.headers)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.served.send_length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.served.cut_after])

    def log_message(self, *args):
        pass


@contextmanager
def serving(content: bytes, **options):
    served = Served(content, **options)
    handler = type("Handler", (_Handler,), {"served": served})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/reuters21578.tar.gz"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
