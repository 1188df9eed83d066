"""The webhooks of a server: checks addresses, sends messages, and watches the projects."""

from __future__ import annotations

from collections.abc import Sequence

from satc.workbench.model.webhooks.networks import Network
from satc.workbench.review.open_projects import OpenProjects
from satc.workbench.review.webhooks.request import Post
from satc.workbench.review.webhooks.sender import Pace, Sender
from satc.workbench.review.webhooks.watcher import Watcher


class Webhooks:
    """The webhooks of all projects of a store; nothing is sent until `start`."""

    def __init__(
        self, projects: OpenProjects, networks: Sequence[Network] = (), pace: Pace | None = None
    ) -> None:
        self.post = Post(networks)
        self._sender = Sender(projects.store, self.post, pace)
        self._watcher = Watcher(projects)

    def start(self) -> None:
        """Begin to send and to watch, in the background."""
        self._sender.start()
        self._watcher.start()

    def stop(self) -> None:
        """End, without waiting for receivers."""
        self._sender.stop()
        self._watcher.stop()
