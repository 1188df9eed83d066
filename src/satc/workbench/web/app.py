"""The web application: API, pages, static files, middleware and error responses."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from satc import __version__
from satc.workbench.review.open_projects import OpenProjects
from satc.workbench.store import Store
from satc.workbench.web import login, pages
from satc.workbench.web.api.router import router as api_router
from satc.workbench.web.authentication import Authenticator
from satc.workbench.web.errors import add_error_handlers
from satc.workbench.web.middleware import BodySizeLimit, LoopbackOnly, SecurityHeaders

_STATIC = Path(__file__).parent / "static"


def make_app(store: Store, *, estimating: bool = True) -> FastAPI:
    """Return the application for a store that this process has locked.

    With `estimating`, the accuracy of each open project is estimated in the background.
    """
    app = FastAPI(
        title="satc workbench",
        version=__version__,
        summary="Documents to check, the most useful first.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # these pages load scripts from other hosts
        redoc_url=None,
    )
    app.state.authenticator = Authenticator(store)
    app.state.open_projects = OpenProjects(store, estimating=estimating)
    add_error_handlers(app)
    for router in (api_router, pages.router, login.router):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    app.add_middleware(BodySizeLimit)
    app.add_middleware(SecurityHeaders)
    if app.state.authenticator.single_user:
        app.add_middleware(LoopbackOnly)
    return app
