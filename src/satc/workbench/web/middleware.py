"""Middleware around every request: security headers, a limit on body size, loopback only."""

from __future__ import annotations

from ipaddress import ip_address

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satc.workbench.web.access.company.people import RefusedError
from satc.workbench.web.access.identification import identify_sender
from satc.workbench.web.addresses import own_path
from satc.workbench.web.label_studio.access import PREFIX, LabelStudioKeys
from satc.workbench.web.raw_headers import raw_header

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # the login checks where its form comes from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
RawHeaders = list[tuple[bytes, bytes]]
_RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
_HTTPS_SECONDS = 365 * 24 * 3600  # for so long, browsers come by HTTPS only
MAX_BODY_BYTES = 4 << 20
MAX_UPLOAD_BYTES = 4 << 30
MAX_TASKS_BYTES = 64 << 20  # of Label Studio
_UPLOAD_PATHS = ("/api/v1/projects", "/api/v1/preview")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def security_headers(scope: Scope) -> dict[str, str]:
    """Return the security headers of a response."""
    return {**SECURITY_HEADERS, **https_headers(scope)}


def https_headers(scope: Scope) -> dict[str, str]:
    """Return the header that tells browsers to use HTTPS only; none without HTTPS.

    A server on the user's own machine does not send it: other servers there have the same name, and
    many of them use plain HTTP.
    """
    is_https = scope.get("scheme") == "https"
    if not is_https or _is_loopback_host(raw_header(scope, b"host")):
        return {}
    return {"Strict-Transport-Security": f"max-age={_HTTPS_SECONDS}"}


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
                headers = list(message.get("headers", ()))
                message["headers"] = headers + _missing_headers(scope, headers)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _missing_headers(scope: Scope, headers: RawHeaders) -> RawHeaders:
    """Return the headers that a response lacks: printed pages have a policy of their own."""
    is_static = own_path(scope).startswith("/static/")
    https = https_headers(scope)
    wanted = [
        *_RAW_HEADERS,
        *((name.lower().encode(), value.encode()) for name, value in https.items()),
        (b"cache-control", b"no-cache" if is_static else b"no-store"),
    ]
    known = {name.lower() for name, _ in headers}
    return [header for header in wanted if header[0] not in known]


class BodySizeLimit:
    """Refuses request bodies that are too large, before they fill the memory or the disk."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request by its declared length, or cut it off at the limit."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = await _max_bytes(scope)
        declared = raw_header(scope, b"content-length")
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


async def _max_bytes(scope: Scope) -> int:
    """Return the size limit of a request: only managers may upload large files.

    Label Studio sends the texts of many tasks at a time, with the key of the project.

    FastAPI reads a form before it calls the dependencies that authenticate, so this cannot wait
    for them.
    """
    path = own_path(scope)
    if path.startswith(f"{PREFIX}/"):
        return MAX_TASKS_BYTES if _has_key(Request(scope), path) else MAX_BODY_BYTES
    if path not in _UPLOAD_PATHS:
        return MAX_BODY_BYTES
    try:
        user = await identify_sender(Request(scope))
    except RefusedError:  # the route answers with the reason
        return MAX_BODY_BYTES
    return MAX_UPLOAD_BYTES if user is not None and user.is_manager else MAX_BODY_BYTES


def _has_key(request: Request, path: str) -> bool:
    """Whether a request of Label Studio has the key of its project."""
    keys: LabelStudioKeys | None = request.app.state.label_studio
    if keys is None:
        return False
    name, key, *_ = (*path.removeprefix(f"{PREFIX}/").split("/"), "")
    header = request.headers.get("authorization", "")
    return keys.is_key(name, key) or keys.admits(name, None, header)


class LoopbackOnly:
    """Refuses requests whose `Host` is not a loopback name (protects against DNS rebinding)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the `Host` header."""
        if scope["type"] == "http" and not all(map(_is_loopback_host, _hosts(scope))):
            refusal = _error(400, "this server answers to 127.0.0.1 and localhost only")
            await refusal(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _hosts(scope: Scope) -> set[str]:
    """Return the host of a request, and the one that a trusted proxy asked for.

    A page of another site can add any header to its requests, so both must be checked.
    """
    host = raw_header(scope, b"host")
    return {host, scope.get("state", {}).get("received_host", host)}


def _is_loopback_host(host: str) -> bool:
    """Whether a `Host` header, which may have a port, names this machine."""
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    try:
        return name in _LOOPBACK_NAMES or ip_address(name).is_loopback
    except ValueError:
        return False


def _error(code: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, code)
