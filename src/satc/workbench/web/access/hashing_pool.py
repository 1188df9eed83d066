"""A few threads of their own for hashing passwords.

argon2 needs much time and memory on purpose. If it ran in the threads of the requests, a stranger
who tries passwords would keep everybody else waiting. So there are two threads and a short queue;
when the queue is full, the next attempt is refused at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import ParamSpec, TypeVar

from satc.errors import SatcError

THREADS = 2
MOST_WAITING = 30
RETRY_SECONDS = 5

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class LoginBusyError(SatcError):
    """Too many passwords wait for being checked."""


class HashingPool:
    """Runs functions that hash passwords, a few at a time."""

    def __init__(self, threads: int = THREADS, most_waiting: int = MOST_WAITING) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="hash password")
        self._free = BoundedSemaphore(threads + most_waiting)

    async def run(
        self,
        function: Callable[_Arguments, _Result],
        *arguments: _Arguments.args,
        **named: _Arguments.kwargs,
    ) -> _Result:
        """Call a function in a thread of the pool; wait without holding up anybody.

        Raises
        ------
        LoginBusyError
            If the queue is full.
        """
        if not self._free.acquire(blocking=False):
            raise LoginBusyError("too many people log in at the same time: try again later")
        future = self._threads.submit(function, *arguments, **named)
        future.add_done_callback(self._release)
        return await asyncio.wrap_future(future)

    def _release(self, future: Future[_Result]) -> None:
        self._free.release()
