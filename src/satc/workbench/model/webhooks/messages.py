"""What a webhook says: the kinds of messages, and the JSON of each."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

from satc.workbench.model import events
from satc.workbench.model.clock import now
from satc.workbench.model.disagreements import SETTLES
from satc.workbench.model.events import Event
from satc.workbench.model.record import Record

DECISION: Final = "decision"  # a decision, second reading, revision, settlement, or the undo of one
FINISHED: Final = "finished"  # the stopping rule is met, or all documents are checked
ALARM: Final = "alarm"  # the corrections do not agree with the probabilities
TEST = "test"
KINDS = (DECISION, FINISHED, ALARM)
DECISIONS = (events.DECIDE, events.SECOND, events.REVISE)


def new_id() -> str:
    """Return the id of a new message; a message that is sent again keeps its id."""
    return f"msg_{secrets.token_hex(16)}"


def written(message: str, kind: str, project: str, data: dict[str, Any]) -> str:
    """Return a message as JSON."""
    said = {"id": message, "type": kind, "project": project, "created_at": now(), "data": data}
    return json.dumps(said, ensure_ascii=False)


def decision_data(
    past: Sequence[Event], event: Event, document: str, classes: Mapping[int, str]
) -> dict[str, Any] | None:
    """Return what a message says about an event; None if the event is no decision.

    Parameters
    ----------
    past
        The earlier events of the document, in order.
    event
        A decision, or the undo of any action.
    document, classes
        The id of the document, and the names of the classes that the events mention.
    """
    record = Record()
    for one in past:
        record.apply(one)
    undone = next((one for one in past if one.number == event.details.get("of")), None)
    if event.kind == events.UNDO and (undone is None or undone.kind not in DECISIONS):
        return None
    in_force = record.apply(event).after
    said = {
        "event": event.number,
        "kind": kind_of(event),
        "document": document,
        "labels": _names(event.labels, classes),
        "who": event.who,
        "at": event.at,
        "labels_in_force": None if in_force is None else _names(in_force.labels, classes),
    }
    if undone is not None:
        said["undone"] = {
            "event": undone.number,
            "kind": kind_of(undone),
            "labels": _names(undone.labels, classes),
        }
    if "imported" in event.details:
        said["imported"] = True
    return said


def kind_of(event: Event) -> str:
    """Return the kind of an event; a revision that settles a disagreement is a settlement."""
    return "settle" if SETTLES in event.details else event.kind


def _names(labels: Sequence[int] | None, classes: Mapping[int, str]) -> list[str] | None:
    return None if labels is None else [classes[label] for label in labels]
