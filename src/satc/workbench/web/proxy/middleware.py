"""Middleware before everything else: a request as the browser has sent it, not as a proxy has.

After that, `client`, `scheme`, the header `host`, `root_path` and `path` of a request are true. Its
`state` has `from_trusted_proxy`, and `received_host`, the host that the proxy asked for.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from satc.workbench.web.proxy.forwarded import (
    forwarded_for,
    forwarded_host,
    forwarded_prefix,
    forwarded_scheme,
)
from satc.workbench.web.proxy.root_path import with_root_path
from satc.workbench.web.proxy.settings import ProxySettings
from satc.workbench.web.proxy.trusted import TrustedProxies
from satc.workbench.web.raw_headers import raw_header


class BehindProxy:
    """Believes what trusted proxies say about a request, and nobody else."""

    def __init__(self, app: ASGIApp, settings: ProxySettings | None = None) -> None:
        self.app = app
        self._settings = settings or ProxySettings()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with what can be believed of it."""
        known = self._known(scope) if scope["type"] in ("http", "websocket") else scope
        await self.app(known, receive, send)

    def _known(self, scope: Scope) -> Scope:
        client = scope.get("client")
        is_trusted = self._settings.trusted.trusts(client[0] if client else None)
        state = {"from_trusted_proxy": is_trusted, "received_host": raw_header(scope, b"host")}
        found = dict(scope, state=dict(scope.get("state", {}), **state))
        prefix = ""
        if is_trusted:
            headers = Headers(scope=scope)
            found |= _forwarded(scope, headers, self._settings.trusted)
            prefix = forwarded_prefix(headers)
        return with_root_path(found, self._settings.root_path or prefix)


def _forwarded(scope: Scope, headers: Headers, trusted: TrustedProxies) -> Scope:
    """Return what a trusted proxy changes in the scope of a request."""
    found: Scope = {}
    if (client := trusted.client(forwarded_for(headers))) is not None:
        found["client"] = (client, 0)
    if (scheme := forwarded_scheme(headers)) is not None:
        is_socket = scope["type"] == "websocket"
        found["scheme"] = scheme.replace("http", "ws") if is_socket else scheme
    if (host := forwarded_host(headers)) is not None:
        others = [(name, value) for name, value in scope["headers"] if name != b"host"]
        found["headers"] = [(b"host", host.encode()), *others]
    return found
