"""Answers to `/healthz` and `/readyz`: the process answers; it can be used.

Both are for programs, need no login, and tell nothing but yes or no.
"""

from __future__ import annotations

from starlette.responses import PlainTextResponse

from satc.workbench.web.observing.readiness import Readiness

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def healthy() -> PlainTextResponse:
    """Say that the process answers."""
    return PlainTextResponse("ok\n", 200, _HEADERS)


def not_ready() -> PlainTextResponse:
    """Say that the server cannot be used now."""
    return PlainTextResponse("not ready\n", 503, {**_HEADERS, "Retry-After": "1"})


async def readiness_response(readiness: Readiness) -> PlainTextResponse:
    """Say whether all projects have been opened and the store can be used."""
    if await readiness.is_ready():
        return PlainTextResponse("ready\n", 200, _HEADERS)
    return not_ready()
