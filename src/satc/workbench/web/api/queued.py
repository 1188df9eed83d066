"""Wait for an action of a project's writer without holding a thread or the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from satc.workbench.review.desk import Desk

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


async def queued(
    desk: Desk,
    function: Callable[Arguments, Result],
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Result:
    """Return the result of a method of the desk, or of a function that is one action on it."""
    return await asyncio.wrap_future(desk.queue(function, *arguments, **options))
