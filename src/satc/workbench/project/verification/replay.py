"""Replay the log of a project, and find events that are no part of a valid history.

The chain of events says whether they were changed; the replay says whether they make sense: known
kinds, documents and labels in range, undone actions that exist, audits that the seed draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from satc.errors import DataError
from satc.workbench.model import events
from satc.workbench.model.actions import ACTIONS
from satc.workbench.model.events import Event
from satc.workbench.model.label_count import label_count_error
from satc.workbench.project.history import History
from satc.workbench.store.digests.faults import UNREADABLE, Fault, unreadable
from satc.workbench.store.projects import Project

_LABELLED = (events.DECIDE, events.SECOND, events.REVISE)


def replay_faults(project: Project, stored: Iterable[Event]) -> Iterator[Fault]:
    """Yield the events that cannot be part of the history of a project."""
    valid: list[Event] = []
    actions: dict[int, Event] = {}
    for event in stored:
        problem = _problem(project, event, actions)
        if problem:
            yield Fault("events", f"event {event.number}", problem)
        else:
            valid.append(event)
        if event.kind in ACTIONS:
            actions[event.number] = event
    try:
        history = History.of(valid)
        if project.settings.stored is None:
            history.check_draws(project.settings.draw_seed, project.n_documents)
    except DataError as error:
        yield Fault("audit", "the audit:", str(error))
    except UNREADABLE as error:
        yield unreadable("events", "the log", error)


def _problem(project: Project, event: Event, actions: dict[int, Event]) -> str:
    """Return what is wrong with an event; "" if nothing is."""
    if event.kind not in events.KINDS:
        return f"must be of a known kind, but is {event.kind!r}"
    first = events.NO_DOCUMENT if event.kind == events.LEARN else 0
    if not first <= event.document < project.n_documents:
        return f"must be about one of {project.n_documents:,} documents, but is {event.document}"
    if event.kind in _LABELLED:
        return _wrong_labels(project, event)
    if event.kind == events.UNDO:
        return _wrong_undo(event, actions)
    return ""


def _wrong_labels(project: Project, event: Event) -> str:
    n_classes = len(project.classes)
    if event.labels is None or not all(0 <= label < n_classes for label in event.labels):
        return f"must have labels of {n_classes:,} classes, but has {event.labels}"
    error = label_count_error(project.settings.task, event.labels)
    return "" if error is None else f"has wrong labels: {error}"


def _wrong_undo(event: Event, actions: dict[int, Event]) -> str:
    undone = actions.get(event.details.get("of", 0))
    if undone is None or undone.document != event.document:
        return "must undo an earlier action on its document, but there is no such one"
    return ""
