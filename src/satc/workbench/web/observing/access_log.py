"""The log of requests: one JSON object per line, without secrets.

A line never has the query of an address, cookies, tokens, passwords, or texts. A thread writes the
lines, so that no request waits for the disk.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from queue import Full, Queue
from threading import Thread
from typing import IO, TYPE_CHECKING, Any

from satc.workbench.web.observing.appended_file import AppendedFile
from satc.workbench.web.observing.logged_path import logged_path

if TYPE_CHECKING:
    from satc.workbench.web.observing.requests import ObservedRequest

_MOST_WAITING = 10_000  # lines


class AccessLog:
    """Writes a line for each request.

    `target` is a file or an open stream. Lines that cannot be written are counted in `n_lost`.

    Raises
    ------
    OSError
        If the file cannot be opened.
    """

    def __init__(self, target: Path | IO[str]) -> None:
        self.n_lost = 0
        self._target = AppendedFile(target) if isinstance(target, Path) else target
        self._lines: Queue[str | None] = Queue(_MOST_WAITING)
        self._thread = Thread(target=self._write_all, name="access log", daemon=True)
        self._thread.start()

    def note(self, request: ObservedRequest) -> None:
        """Write the line of a request that has ended, soon."""
        try:
            self._lines.put_nowait(json.dumps(entry_of(request)) + "\n")
        except Full:
            self.n_lost += 1

    def close(self) -> None:
        """Write all lines, and end."""
        self._lines.put(None)
        self._thread.join()

    def _write_all(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                self._target.write(line)
                self._target.flush()
            except (OSError, ValueError):  # the disk is full, or nobody reads the stream any more
                self.n_lost += 1


def entry_of(request: ObservedRequest) -> dict[str, Any]:
    """Return what the log says about a request."""
    at = datetime.fromtimestamp(request.at, UTC)
    return {
        "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "client": request.client,
        "user": request.user,
        "method": request.method,
        "route": request.route,
        "path": logged_path(request),
        "status": request.status,
        "bytes": request.n_bytes,
        "milliseconds": round(request.seconds * 1000, 1),
        "request_id": request.request_id,
    }
