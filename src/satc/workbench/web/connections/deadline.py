"""A deadline on the event loop, which can be started again and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_LAG_SECONDS = 0.2
_GRACE_SECONDS = 1.0


class Deadline:
    """Calls a function when some seconds have passed, unless it is stopped before.

    If the loop was busy when the time was over, a client may have sent in time what the loop has
    not read yet. The deadline is then one second later.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, passed: Callable[[], None]) -> None:
        self._loop = loop
        self._passed = passed
        self._due = 0.0
        self._handle: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        """Whether the function will be called."""
        return self._handle is not None

    def start(self, seconds: float) -> None:
        """Count from now."""
        self.stop()
        self._due = self._loop.time() + seconds
        self._handle = self._loop.call_later(seconds, self._pass)

    def stop(self) -> None:
        """Do not call the function."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _pass(self) -> None:
        self._handle = None
        if self._loop.time() - self._due > _LAG_SECONDS:
            self.start(_GRACE_SECONDS)
        else:
            self._passed()
