"""Middleware around every request: security headers, a limit on body size, loopback only."""

from __future__ import annotations

from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satc.workbench.web.authentication import Authenticator

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # the login checks where its form comes from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
MAX_BODY_BYTES = 4 << 20
MAX_UPLOAD_BYTES = 4 << 30
_UPLOAD_PATH = "/api/v1/projects"
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


class SecurityHeaders:
    """Adds security headers to every response, and forbids caching except of static files."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request and add the headers to its response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                is_static = scope["path"].startswith("/static/")
                headers.setdefault("Cache-Control", "no-cache" if is_static else "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


class BodySizeLimit:
    """Refuses request bodies that are too large, before they fill the memory or the disk."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request by its declared length, or cut it off at the limit."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = _max_bytes(Request(scope))
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdigit() and int(declared) > limit:
            refusal = _error(413, f"the body must have at most {limit:,} bytes")
            await refusal(scope, receive, send)
            return
        await self.app(scope, _counting(receive, limit), send)


def _counting(receive: Receive, limit: int) -> Receive:
    """Return a `receive` that ends the request once more than `limit` bytes have come."""
    received = 0

    async def receive_counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        return {"type": "http.disconnect"} if received > limit else message

    return receive_counted


def _max_bytes(request: Request) -> int:
    """Return the size limit of a request: only managers may upload large files.

    FastAPI reads a form before it calls the dependencies that authenticate, so this cannot wait
    for them.
    """
    if request.scope["path"] != _UPLOAD_PATH:
        return MAX_BODY_BYTES
    authenticator: Authenticator = request.app.state.authenticator
    user = authenticator.identify(
        request.headers.get("authorization", ""),
        request.cookies.get(authenticator.cookie_name, ""),
    )
    return MAX_UPLOAD_BYTES if user is not None and user.is_manager else MAX_BODY_BYTES


class LoopbackOnly:
    """Refuses requests whose `Host` is not a loopback name (protects against DNS rebinding)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the `Host` header."""
        if scope["type"] == "http":
            host = Headers(scope=scope).get("host", "")
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if name not in _LOOPBACK_NAMES and not _is_loopback_address(name):
                refusal = _error(400, "this server answers to 127.0.0.1 and localhost only")
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _is_loopback_address(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _error(code: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, code)
