"""Long work for managers: few requests at a time, so that the server keeps its threads for people.

The work itself runs beside the server if it takes long (`review/aside.py`); a thread of the server
only waits for it. Further requests wait without a thread.
"""

from __future__ import annotations

from asyncio import Semaphore
from collections.abc import Callable
from typing import Annotated, ParamSpec, TypeVar

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

_AT_ONCE = 4


class LongWork:
    """Runs functions in threads, a few at a time."""

    def __init__(self) -> None:
        self._places = Semaphore(_AT_ONCE)

    async def run(
        self,
        function: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Return ``function(*arguments)`` when there is a place for it."""
        async with self._places:
            return await run_in_threadpool(function, *arguments, **options)


async def get_long_work(request: Request) -> LongWork:
    """Return the places for long work of the server."""
    long_work: LongWork = request.app.state.long_work
    return long_work


CurrentLongWork = Annotated[LongWork, Depends(get_long_work)]
