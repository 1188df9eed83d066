"""Observes every request: its time, its status and its size, for the metrics and the log.

The scope says which route answered and who asked. It must be the same object inside, so parts
that replace the scope, such as the one for proxies, come before this one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from secrets import token_hex
from time import perf_counter, time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satc.workbench.web.addresses import own_path
from satc.workbench.web.observing.observation import Observation
from satc.workbench.web.observing.paths import STATIC, whole_route
from satc.workbench.web.raw_headers import raw_header

USER = "user_name"  # the key in the state of a request
CLIENT_CLOSED = 499  # nginx's status for a client that did not wait for the response
_ID_HEADER = b"x-request-id"
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass
class ObservedRequest:
    """A request and its response.

    `status` is 499 until a response begins, because then the client has gone.
    """

    scope: Scope
    path: str
    request_id: str
    at: float = field(default_factory=time)
    started: float = field(default_factory=perf_counter)
    status: int = CLIENT_CLOSED
    n_bytes: int = 0

    @property
    def method(self) -> str:
        """The method."""
        return str(self.scope["method"])

    @property
    def seconds(self) -> float:
        """The time since the request came."""
        return perf_counter() - self.started

    @property
    def user(self) -> str | None:
        """Who sent the request; None if nobody was identified."""
        state: dict[str, Any] = self.scope["state"]
        return state.get(USER)

    @property
    def client(self) -> str | None:
        """The address that the request came from."""
        client = self.scope.get("client")
        return client[0] if client else None

    @property
    def route(self) -> str | None:
        """The route that answered, with names in the place of values; None if there is none."""
        found: str | None = getattr(self.scope.get("route"), "path", None)
        if found is None:
            return STATIC if self.path.startswith(f"{STATIC}/") else None
        return whole_route(found, self.path)


class Observed:
    """An application whose requests are observed."""

    def __init__(self, app: ASGIApp, observation: Observation) -> None:
        self.app = app
        self.observation = observation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, and note what became of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope.setdefault("state", {})
        request = ObservedRequest(scope, own_path(scope), _request_id(scope))

        async def send_observed(message: Message) -> None:
            if message["type"] == "http.response.start":
                request.status = message["status"]
                headers = [one for one in message.get("headers", ()) if one[0] != _ID_HEADER]
                message["headers"] = [*headers, (_ID_HEADER, request.request_id.encode())]
            elif message["type"] == "http.response.body":
                request.n_bytes += len(message.get("body", b""))
            await send(message)

        with self.observation.observing(request):
            await self.app(scope, receive, send_observed)


def _request_id(scope: Scope) -> str:
    """Return the id that a trusted proxy gave to a request, or a new one."""
    if scope["state"].get("from_trusted_proxy", False):
        given = raw_header(scope, _ID_HEADER)
        if _ID.fullmatch(given):
            return given
    return token_hex(8)
