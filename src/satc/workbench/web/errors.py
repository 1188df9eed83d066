"""Maps exceptions to HTTP responses: each has the field `detail` with one sentence."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from satc.errors import DataError, StateError
from satc.workbench.review.leases import ConflictError
from satc.workbench.store import StoreError
from satc.workbench.web.login import redirect_to_login
from satc.workbench.web.login_limiter import TooManyAttemptsError

_STATUS_CODES: dict[type[Exception], int] = {
    ConflictError: 409,
    StateError: 409,
    TooManyAttemptsError: 429,
    StoreError: 503,
    DataError: 400,
    ValueError: 400,
}


def add_error_handlers(app: FastAPI) -> None:
    """Register a handler for each exception that the application answers with a sentence."""
    app.add_exception_handler(HTTPException, _handle_http)
    app.add_exception_handler(RequestValidationError, _handle_invalid_request)
    for error, code in _STATUS_CODES.items():
        app.add_exception_handler(error, _handler_with(code))


def _handler_with(code: int) -> Any:
    def handle(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, code)

    return handle


def _handle_http(request: Request, error: Exception) -> Any:
    """Answer with JSON; a page that needs a login redirects to the login form."""
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 401 and not request.url.path.startswith("/api/"):
        return redirect_to_login()
    return JSONResponse({"detail": str(error.detail)}, error.status_code, error.headers)


def _handle_invalid_request(request: Request, error: Exception) -> JSONResponse:
    """Name the first field that is invalid, and say why."""
    if not isinstance(error, RequestValidationError):
        raise error
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return JSONResponse({"detail": f"{field}: {first['msg']}"}, 422)
