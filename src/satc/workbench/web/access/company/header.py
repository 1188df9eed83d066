"""The headers by which a trusted proxy says who sends a request.

They are believed only in a request that a trusted proxy has sent. In every other request they are
removed, so that nothing behind this middleware can see them.
"""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from satc.workbench.messages import Message
from satc.workbench.web.access.company.people import RefusedError
from satc.workbench.web.access.company.settings import HeaderLogin

FROM_TRUSTED_PROXY = "from_trusted_proxy"  # in the state of a request; `TrustedProxies` sets it


class ProxiedUser(NamedTuple):
    """A person whom a trusted proxy has logged in, and their groups."""

    name: str
    groups: tuple[str, ...]


class OnlyTrustedHeaders:
    """Removes the headers of the login from requests that no trusted proxy has sent."""

    def __init__(self, app: ASGIApp, login: HeaderLogin) -> None:
        self.app = app
        self._names = {name.lower().encode("latin-1") for name in login.names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, without the headers unless they are to be believed."""
        if scope["type"] == "http" and not _is_trusted(scope):
            kept = [pair for pair in scope["headers"] if pair[0].lower() not in self._names]
            scope = {**scope, "headers": kept}
        await self.app(scope, receive, send)


def proxied_user(request: HTTPConnection, login: HeaderLogin) -> ProxiedUser | None:
    """Return the person whom a trusted proxy names; None if it names nobody.

    Raises
    ------
    RefusedError
        If a header came twice: then the proxy lets the headers of strangers through.
    """
    if not _is_trusted(request.scope):
        return None
    name = _value(request, login.user)
    if not name:
        return None
    groups = _value(request, login.groups) if login.groups is not None else ""
    return ProxiedUser(name, tuple(one.strip() for one in groups.split(",") if one.strip()))


def _is_trusted(scope: Scope) -> bool:
    return scope.get("state", {}).get(FROM_TRUSTED_PROXY) is True


def _value(request: HTTPConnection, header: str) -> str:
    name = header.lower().encode("latin-1")
    found = [value for key, value in request.scope["headers"] if key.lower() == name]
    if len(found) > 1:
        raise RefusedError(Message("server.header_twice", header=header))
    return _decoded(found[0]).strip() if found else ""


def _decoded(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
