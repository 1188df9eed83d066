"""Loads the application and opens all projects while the server answers already."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from threading import Thread
from typing import TYPE_CHECKING

import uvicorn

from satc.workbench.messages import Message
from satc.workbench.model.webhooks.networks import Network
from satc.workbench.store import Store
from satc.workbench.web.access.authentication import Authenticator
from satc.workbench.web.label_studio.access import LabelStudioKeys
from satc.workbench.web.observing.observation import Observation
from satc.workbench.web.serving.settings import Reports
from satc.workbench.web.starting import StartingApp

if TYPE_CHECKING:
    from satc.workbench.review.open_projects import OpenProjects
    from satc.workbench.review.webhooks.service import Webhooks

_COLLECTIONS_OF_YOUNGER = 200  # before all objects are collected


class Opener:
    """Loads the application and opens all projects, in a thread.

    If no project can be opened, the server ends, and `error` is the reason. If some can be opened,
    the pages of the others tell the reason.
    """

    def __init__(
        self,
        store: Store,
        authenticator: Authenticator,
        networks: Sequence[Network],
        starting: StartingApp,
        observation: Observation,
        reports: Reports,
        label_studio: LabelStudioKeys | None = None,
    ) -> None:
        self.error: Exception | None = None
        self._store = store
        self._authenticator = authenticator
        self._networks = networks
        self._webhooks: Webhooks | None = None
        self._starting = starting
        self._observation = observation
        self._reports = reports
        self._label_studio = label_studio

    def start(self, server: uvicorn.Server) -> None:
        """Begin."""
        Thread(target=self._run, args=(server,), name="open all projects", daemon=True).start()

    def stop(self) -> None:
        """End the sending of webhooks."""
        if self._webhooks is not None:
            self._webhooks.stop()

    def _run(self, server: uvicorn.Server) -> None:
        try:
            failed = self._open_all()
        except Exception as error:  # the main thread raises it
            self.error, server.should_exit = error, True
            return
        if server.should_exit:
            return
        _keep_collections_short()
        if failed:
            self.error, server.should_exit = failed, True
        else:
            self._observation.readiness.is_opened = True
            self._reports.opened()

    def _open_all(self) -> Exception | None:
        """Load the application and open the projects; return an error if none can be opened."""
        from satc.workbench.web.app import make_app  # slow: the server answers meanwhile

        app = make_app(
            self._store,
            in_background=True,
            authenticator=self._authenticator,
            observation=self._observation,
            networks=self._networks,
            label_studio=self._label_studio,
        )
        projects: OpenProjects = app.state.open_projects
        projects.openings.on_step = self._reports.step
        self._starting.app = app
        self._webhooks = app.state.webhooks
        self._webhooks.start()
        errors = {name: _open(projects, name) for name in projects.names()}
        failed = {name: error for name, error in errors.items() if error is not None}
        if failed and len(failed) == len(errors):
            return next(iter(failed.values()))
        for name, error in failed.items():
            self._reports.step(name, Message("server.opening_failed", error=str(error)))
        return None


def _keep_collections_short() -> None:
    """Let garbage collections skip all that is loaded, and let whole ones be rare.

    Everybody waits during a collection of all objects, about 0.1 s after some thousand decisions.
    With Python's threshold of 10 there is one every two seconds while twenty people work.
    """
    gc.collect()
    gc.freeze()
    youngest, younger, _ = gc.get_threshold()
    gc.set_threshold(youngest, younger, _COLLECTIONS_OF_YOUNGER)


def _open(projects: OpenProjects, name: str) -> Exception | None:
    """Open a project; return the error if it cannot be opened."""
    if (opening := projects.begin(name)) is None:
        return None
    opening.wait()
    return opening.error
