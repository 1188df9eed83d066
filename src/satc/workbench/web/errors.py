"""Maps exceptions to HTTP responses: JSON with one sentence in `detail`, or a page with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from satc.errors import DataError, PluginError, StateError
from satc.workbench.messages import Message
from satc.workbench.review.leases import ConflictError
from satc.workbench.store import Store, StoreError
from satc.workbench.store.disclosure.outage import tell_outage, without_address
from satc.workbench.web.access.company.people import ProviderError, RefusedError
from satc.workbench.web.access.hashing_pool import LoginBusyError
from satc.workbench.web.access.login_limiter import TooManyAttemptsError
from satc.workbench.web.addresses import own_path
from satc.workbench.web.api.kept_files import FullError, UnknownFileError
from satc.workbench.web.label_studio.access import PREFIX as LABEL_STUDIO
from satc.workbench.web.language import messages_for
from satc.workbench.web.login import redirect_to_login
from satc.workbench.web.middleware import security_headers
from satc.workbench.web.observing.paths import METRICS
from satc.workbench.web.pages.error_page import error_page, wants_page

_STATUS_CODES: dict[type[Exception], int] = {
    ConflictError: 409,
    StateError: 409,
    TooManyAttemptsError: 429,
    RefusedError: 403,
    ProviderError: 503,
    LoginBusyError: 503,
    UnknownFileError: 404,
    FullError: 503,
    DataError: 400,
    PluginError: 400,
    ValueError: 400,
}


def add_error_handlers(app: FastAPI) -> None:
    """Register a handler for each exception that the application answers with a sentence."""
    app.add_exception_handler(HTTPException, _handle_http)
    app.add_exception_handler(RequestValidationError, _handle_invalid_request)
    app.add_exception_handler(StoreError, _handle_outage)
    app.add_exception_handler(Exception, _handle_unexpected)
    for error, code in _STATUS_CODES.items():
        app.add_exception_handler(error, _handler_with(code))


def _handler_with(code: int) -> Any:
    def handle(request: Request, error: Exception) -> Response:
        said = error.args[0] if len(error.args) == 1 else error
        return _answer(request, code, _sentence(request, said))

    return handle


def _handle_outage(request: Request, error: Exception) -> Response:
    """Say that the database cannot be used; the log of the server says why, and which it is."""
    if not isinstance(error, StoreError):
        raise error
    request.app.state.observation.outages.log(str(error))
    return _answer(request, 503, _sentence(request, tell_outage(error)))


def _answer(
    request: Request, code: int, said: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with a page if a person looks at it, and with JSON otherwise."""
    if not wants_page(request):
        return JSONResponse({"detail": said}, code, headers)
    page = error_page(request, code, said)
    page.headers.update(headers or {})
    return page


def _sentence(request: Request, said: object) -> str:
    """Return what an error says; a message is rendered in the language of the reader."""
    if isinstance(said, Message):
        return messages_for(request)(said)
    store: Store = request.app.state.open_projects.store
    return without_address(str(said), store)


def _handle_http(request: Request, error: Exception) -> Any:
    """Answer with the sentence; a page that needs a login redirects to the login form."""
    if not isinstance(error, HTTPException):
        raise error
    path = own_path(request.scope)
    is_for_programs = path.startswith(("/api/", f"{LABEL_STUDIO}/")) or path == METRICS
    is_page = wants_page(request) or not is_for_programs
    if error.status_code == 401 and is_page:
        return redirect_to_login(request)
    said = _sentence(request, error.detail)
    return _answer(request, error.status_code, said, error.headers)


def _handle_invalid_request(request: Request, error: Exception) -> Response:
    """Name the first field that is invalid, and say why."""
    if not isinstance(error, RequestValidationError):
        raise error
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return _answer(request, 422, f"{field}: {first['msg']}")


def _handle_unexpected(request: Request, error: Exception) -> Response:
    """Answer an error of the program; the log has its details.

    This response does not pass the middleware, so it gets the security headers here.
    """
    said = _sentence(request, Message("server.unexpected_error"))
    headers = {**security_headers(request.scope), "Cache-Control": "no-store"}
    return _answer(request, 500, said, headers)
