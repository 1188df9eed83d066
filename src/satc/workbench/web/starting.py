"""Answers requests while the program is still being loaded.

Loading the libraries takes some seconds. Until then every page says that the server is starting,
and loads itself again; requests of programs get status 503.
"""

from __future__ import annotations

from html import escape

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from satc.printed.style import POLICY, STYLE
from satc.workbench.web.addresses import own_path
from satc.workbench.web.language import messages_for
from satc.workbench.web.middleware import https_headers
from satc.workbench.web.observing.health import healthy, not_ready
from satc.workbench.web.observing.paths import HEALTH, READY

_RETRY_SECONDS = "1"
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Retry-After": _RETRY_SECONDS,
}
_PAGE = """<!doctype html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>satc</title>
<style>{style}</style>
</head>
<body><main><section><h1>satc</h1><p role="status">{sentence}</p></section></main></body>
</html>
"""


class StartingApp:
    """An application whose real part, `app`, is set once it is loaded."""

    def __init__(self) -> None:
        self.app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer that the server is starting."""
        answer = self.app or starting_response(HTTPConnection(scope))
        await answer(scope, receive, send)


def starting_response(request: HTTPConnection) -> Response:
    """Return the answer to a request that comes too early."""
    if (path := own_path(request.scope)) in (HEALTH, READY):
        return healthy() if path == HEALTH else not_ready()
    say = messages_for(request)
    sentence = say("server.starting")
    headers = {**_HEADERS, **https_headers(request.scope)}
    if own_path(request.scope).startswith("/api/"):
        return JSONResponse({"detail": sentence}, 503, headers)
    page = _PAGE.format(
        language=say.language, direction=say.direction, style=STYLE, sentence=escape(sentence)
    )
    return HTMLResponse(page, 503, {**headers, "Refresh": _RETRY_SECONDS})
