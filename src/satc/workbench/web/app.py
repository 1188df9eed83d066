"""The web application: pages and API behind one door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from satc import __version__
from satc.errors import DataError, StateError
from satc.workbench.review.leases import ConflictError
from satc.workbench.review.open_projects import Desks
from satc.workbench.store import Store, StoreError
from satc.workbench.web import pages
from satc.workbench.web.api import routes
from satc.workbench.web.api import transfer as moving
from satc.workbench.web.authentication import Access, TooManyAttemptsError
from satc.workbench.web.middleware import LimitedBody, LoopbackOnly, SecureHeaders

HERE = Path(__file__).parent


def make_app(store: Store, *, estimating: bool = True) -> FastAPI:
    """Return the application for a store; it belongs to the server that has locked the store.

    With `estimating`, the accuracy of the projects is followed in the background.
    """
    app = FastAPI(
        title="satc workbench",
        version=__version__,
        summary="Documents to check, the most useful first.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
    )
    app.state.access = Access(store)
    app.state.desks = Desks(store, estimating=estimating)
    for error, handler in _HANDLERS.items():
        app.add_exception_handler(error, handler)
    app.include_router(routes.router)
    app.include_router(moving.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_middleware(LimitedBody)
    app.add_middleware(SecureHeaders)
    if app.state.access.single_user:
        app.add_middleware(LoopbackOnly)
    return app


def _problem(code: int) -> Any:
    def handler(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, code)

    return handler


def _http(request: Request, error: Exception) -> Any:
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 401 and not request.url.path.startswith("/api/"):
        return pages.to_login()
    return JSONResponse({"detail": str(error.detail)}, error.status_code, error.headers)


def _invalid(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return JSONResponse({"detail": f"{where}: {first['msg']}"}, 422)


_HANDLERS: dict[Any, Any] = {
    HTTPException: _http,
    RequestValidationError: _invalid,
    ConflictError: _problem(409),
    StateError: _problem(409),
    TooManyAttemptsError: _problem(429),
    StoreError: _problem(503),
    DataError: _problem(400),
    ValueError: _problem(400),
}
