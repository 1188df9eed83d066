"""The server: one process per store; the store is locked while it runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import IO

from starlette.types import ASGIApp

from satc.workbench.store import Store
from satc.workbench.store.projects import list_projects
from satc.workbench.web.access.authentication import Authenticator
from satc.workbench.web.label_studio.access import LabelStudioKeys
from satc.workbench.web.listening import ServerError
from satc.workbench.web.observing.access_log import AccessLog
from satc.workbench.web.observing.exposition import MetricsPort
from satc.workbench.web.observing.observation import Observation
from satc.workbench.web.observing.requests import Observed
from satc.workbench.web.proxy.middleware import BehindProxy
from satc.workbench.web.serving.opener import Opener
from satc.workbench.web.serving.settings import Reports, ServerSettings
from satc.workbench.web.serving.sockets import Sockets
from satc.workbench.web.serving.uvicorn_server import ReportingServer, configuration
from satc.workbench.web.starting import StartingApp


def serve(store: Store, settings: ServerSettings, reports: Reports | None = None) -> None:
    """Serve a store until interrupted.

    The server answers at once; the program is loaded and the projects are opened meanwhile.

    Raises
    ------
    ServerError
        If the server cannot start.
    """
    reports = reports or Reports()
    store.lock()
    authenticator = Authenticator(store, settings.login)
    sockets = Sockets(settings, authenticator)
    log = None if settings.access_log is None else open_log(settings.access_log)
    observation = Observation(store, is_opened=False, access_log=log)
    starting = StartingApp()
    keys = _label_studio_keys(store, settings)

    def opened() -> None:
        reports.opened()
        if keys is not None:
            for project in list_projects(store):
                address = f"{sockets.base}{keys.path(project.name)}"
                reports.label_studio_ready(project.name, address)

    told = replace(reports, opened=opened)
    opener = Opener(store, authenticator, settings.networks, starting, observation, told, keys)

    def begin() -> None:
        reports.ready(sockets.address)
        if (address := sockets.metrics_address) is not None:
            reports.metrics_ready(address)
        opener.start(server)

    app: ASGIApp = BehindProxy(Observed(starting, observation), settings.proxy)
    if (port := sockets.metrics_port) is not None:
        app = MetricsPort(app, observation, port)
    server = ReportingServer(configuration(app, settings, observation), begin)
    observation.metrics.connections.set_function(lambda: len(server.server_state.connections))
    try:
        server.run(sockets=sockets.all)
    finally:
        sockets.close()
        opener.stop()
        if log is not None:
            log.close()
    if opener.error is not None:
        raise opener.error


def _label_studio_keys(store: Store, settings: ServerSettings) -> LabelStudioKeys | None:
    """Return the keys of the projects for Label Studio; None if they are not wanted."""
    if not settings.label_studio:
        return None
    return LabelStudioKeys(store, renewed=settings.label_studio == "new")


def open_log(target: Path | IO[str]) -> AccessLog:
    """Open the log of requests.

    Raises
    ------
    ServerError
        If its file cannot be opened.
    """
    try:
        return AccessLog(target)
    except OSError as error:
        raise ServerError(
            f"the access log {target} cannot be opened: {error.strerror}; name a file in a folder "
            "that you can write to"
        ) from error
