"""The web application: API, pages, static files, middleware and error responses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI
from fastapi.staticfiles import StaticFiles

from satc import __version__
from satc.workbench.model.webhooks.networks import Network
from satc.workbench.review.aside import preload
from satc.workbench.review.open_projects import OpenProjects
from satc.workbench.review.webhooks.service import Webhooks
from satc.workbench.store import Store
from satc.workbench.web import company_login, login, pages
from satc.workbench.web.access.authentication import Authenticator
from satc.workbench.web.access.company.header import OnlyTrustedHeaders
from satc.workbench.web.api.kept_files import KeptFiles
from satc.workbench.web.api.long_work import LongWork
from satc.workbench.web.api.router import router as api_router
from satc.workbench.web.api.short_routes import short_routes
from satc.workbench.web.errors import add_error_handlers
from satc.workbench.web.label_studio.access import LabelStudioKeys
from satc.workbench.web.label_studio.routes import router as label_studio_router
from satc.workbench.web.middleware import BodySizeLimit, LoopbackOnly, SecurityHeaders
from satc.workbench.web.observing import routes as observing
from satc.workbench.web.observing.observation import Observation
from satc.workbench.web.observing.projects import ProjectMetrics

if TYPE_CHECKING:
    from satc.workbench.web.access.company.openid import OpenIdClient

# All routes; FastAPI prepares them at the first request, once for all applications of a process.
_ROUTES = APIRouter()
for _router in (
    *(api_router, pages.router, login.router, company_login.router),
    *(label_studio_router, observing.router),
):
    _ROUTES.include_router(_router)

_STATIC = Path(__file__).parent / "static"
_STYLES = ("satc.printed", "styles")  # the theme, which reports and certificates share


def make_app(
    store: Store,
    *,
    estimating: bool = True,
    in_background: bool = False,
    authenticator: Authenticator | None = None,
    observation: Observation | None = None,
    networks: Sequence[Network] = (),
    label_studio: LabelStudioKeys | None = None,
) -> FastAPI:
    """Return the application for a store that this process has locked.

    With `estimating`, the accuracy of each open project is estimated in the background. With
    `in_background`, projects are opened in the background as well: until then, pages and API answer
    with status 503 and the step that is running. A new `authenticator` and a new
    `observation` are made if none are given. Webhooks may be sent to `networks`, which need not be
    public; nothing is sent until `app.state.webhooks` is started. With the keys `label_studio`,
    projects answer Label Studio.
    """
    app = FastAPI(
        title="satc workbench",
        version=__version__,
        summary="Documents to check, the most useful first.",
        openapi_url=None,  # `api/routes/description.py` has it, for people who are logged in
        docs_url=None,  # these pages load scripts from other hosts
        redoc_url=None,
    )
    app.state.authenticator = authenticator or Authenticator(store)
    app.state.open_projects = OpenProjects(
        store, estimating=estimating, in_background=in_background
    )
    app.state.webhooks = Webhooks(app.state.open_projects, networks)
    app.state.kept_files = KeptFiles()
    app.state.label_studio = label_studio
    app.state.long_work = LongWork()
    preload([__name__])
    app.state.openid_client = _openid_client(app.state.authenticator)
    app.state.observation = observed = observation or Observation(store)
    observed.registry.register(ProjectMetrics(app.state.open_projects, observed.readiness))
    add_error_handlers(app)
    app.router.routes += [*short_routes(app), *_ROUTES.routes]
    files = StaticFiles(directory=_STATIC, packages=[_STYLES])
    app.mount("/static", files, name="static")
    app.add_middleware(BodySizeLimit)
    app.add_middleware(SecurityHeaders)
    if app.state.authenticator.single_user:
        app.add_middleware(LoopbackOnly)
    if (header := app.state.authenticator.login.header) is not None:
        app.add_middleware(OnlyTrustedHeaders, login=header)
    return app


def _openid_client(authenticator: Authenticator) -> OpenIdClient | None:
    """Return the client of the provider; without one, its libraries are not loaded."""
    if authenticator.login.openid is None:
        return None
    from satc.workbench.web.access.company.openid import OpenIdClient

    return OpenIdClient(authenticator.login.openid)
