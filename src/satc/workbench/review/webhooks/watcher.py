"""The watcher: tells webhooks when a project is finished, and when there is an alarm.

Both follow from estimates that are made in the background, after decisions were saved. So a thread
looks at them regularly. The store knows what was told, so a restart tells nothing twice.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Thread
from typing import Any

from satc.workbench.model.webhooks.messages import ALARM, FINISHED
from satc.workbench.review.accuracy.stopping import MetRule, needs_estimate
from satc.workbench.review.open_projects import OpenProject, OpenProjects
from satc.workbench.store.webhooks.addresses import Webhook, list_webhooks
from satc.workbench.store.webhooks.enqueuing import knows, note_unfinished, tell_state

_LOOK_SECONDS = 2.0


class Watcher:
    """Looks at the open projects of a server, from `start` until `stop`."""

    def __init__(self, projects: OpenProjects, seconds: float = _LOOK_SECONDS) -> None:
        self._projects = projects
        self._seconds = seconds
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="watch for webhooks", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            for project in self._projects.open_now().values():
                with suppress(Exception):  # whatever fails now may work at the next look
                    look_at(project)


def look_at(project: OpenProject) -> None:
    """Tell the webhooks of a project what they do not know yet."""
    desk = project.desk
    webhooks = list_webhooks(desk.store, desk.project.key)
    if any(FINISHED in one.kinds for one in webhooks):
        _look_for_end(project, webhooks)
    if any(ALARM in one.kinds and not knows(one, ALARM) for one in webhooks):
        _look_for_alarm(project)


def _look_for_end(project: OpenProject, webhooks: list[Webhook]) -> None:
    desk = project.desk
    met, n_checked = project.live_accuracy.met_rule(), desk.validation.n_validated
    n_documents, rule = desk.project.n_whole, desk.project.settings.stop
    told = [knows(one, FINISHED) for one in webhooks if FINISHED in one.kinds]
    if met is not None or n_checked == n_documents:
        if not all(told):
            counts = {"n_checked": n_checked, "n_documents": n_documents, "rule": rule}
            tell_state(desk.store, desk.project.key, FINISHED, _reason(met) | counts)
    elif any(told) and (not needs_estimate(rule) or project.live_accuracy.latest() is not None):
        note_unfinished(desk.store, desk.project.key)


def _reason(met: MetRule | None) -> dict[str, Any]:
    if met is None:
        return {"reason": "all checked", "message": "All documents are checked."}
    return {"reason": "rule met", "message": str(met.reason)}


def _look_for_alarm(project: OpenProject) -> None:
    latest = project.live_accuracy.latest()
    if latest is None or latest.macro.assumption.holds:
        return
    desk, assumption = project.desk, latest.macro.assumption
    classes = [desk.project.classes[label] for label in assumption.classes]
    data = {"message": assumption.message, "classes": classes, "n_checked": latest.n}
    tell_state(desk.store, desk.project.key, ALARM, data)
