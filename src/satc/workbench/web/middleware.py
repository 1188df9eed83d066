"""Protection around every answer: what a browser may load, how much may be sent, from where."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satc.workbench.web.authentication import Access

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # the door looks at where a form comes from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
MOST_BYTES = 4 << 20
MOST_UPLOADED = 4 << 30
_UPLOADS = "/api/v1/projects"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class SecureHeaders:
    """Adds the headers that keep a page to itself; answers of the API are not kept anywhere."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a call on, and add to its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                kept = "no-cache" if scope["path"].startswith("/static/") else "no-store"
                headers.setdefault("Cache-Control", kept)
            await send(message)

        await self.app(scope, receive, protected)


class LimitedBody:
    """Refuses bodies that are too large, before they fill memory or disk."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what comes in."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = _most_bytes(Request(scope))
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdigit() and int(declared) > most:
            await _refuse(413, f"at most {most:,} bytes may be sent")(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                return {"type": "http.disconnect"}
            return message

        await self.app(scope, counted, send)


def _most_bytes(request: Request) -> int:
    """Return how much may be sent: files only by those who may make projects of them.

    A form is taken in before anybody is asked who they are.
    """
    if request.scope["path"] != _UPLOADS:
        return MOST_BYTES
    access: Access = request.app.state.access
    who = access.identified(
        request.headers.get("authorization", ""), request.cookies.get(access.cookie, "")
    )
    return MOST_UPLOADED if who is not None and who.is_manager else MOST_BYTES


class LoopbackOnly:
    """Without users, answers only to the machine's own names: other sites cannot pose as it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at the name that was called."""
        if scope["type"] == "http":
            host = Headers(scope=scope).get("host", "")
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if name not in _LOOPBACK and not _is_own_address(name):
                refusal = _refuse(400, "this server answers to 127.0.0.1 and localhost only")
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _is_own_address(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _refuse(code: int, detail: str) -> Any:
    return JSONResponse({"detail": detail}, code)
