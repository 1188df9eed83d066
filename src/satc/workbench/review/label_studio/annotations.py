"""Annotations of Label Studio become decisions of a project.

A new annotation is a decision, and a changed one replaces it. A deleted annotation undoes its
decisions. Skipped tasks are no decisions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from satc.errors import DataError
from satc.files import fields
from satc.workbench.review.desk import Desk

IMPORTED = "label-studio"  # the detail "imported" of such decisions
ANNOTATION = "annotation"  # the detail with the number of the annotation
CREATED = ("ANNOTATION_CREATED", "ANNOTATIONS_CREATED")
UPDATED = ("ANNOTATION_UPDATED",)
DELETED = ("ANNOTATION_DELETED", "ANNOTATIONS_DELETED")
_NOBODY = "label-studio"  # decides where an annotation names nobody


class Annotated(NamedTuple):
    """The labels that a person gave to a document in Label Studio."""

    document: int
    who: str
    labels: tuple[int, ...]
    annotation: int
    seconds: float | None

    def details(self) -> dict[str, Any]:
        """Return the details of the event."""
        timed = {} if self.seconds is None else {"seconds": self.seconds}
        return {"imported": IMPORTED, ANNOTATION: self.annotation, **timed}


def annotations_of(sent: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the annotations of a message: one object, or a list of objects."""
    given = sent.get("annotation", sent.get("annotations"))
    found = given if isinstance(given, list) else [given]
    if not found or not all(isinstance(one, Mapping) for one in found):
        raise DataError(f"'annotation' must be an object, but is {given!r:.80}")
    return found


def number_of(annotation: Mapping[str, Any]) -> int:
    """Return the number of an annotation."""
    number = annotation.get("id")
    if not isinstance(number, int) or isinstance(number, bool):
        raise DataError(f"'id' of an annotation must be an integer, but is {number!r:.80}")
    return number


def author_of(annotation: Mapping[str, Any]) -> str:
    """Return who made an annotation: the e-mail address, or Label Studio's number of the person."""
    who = annotation.get("completed_by")
    if isinstance(who, Mapping):
        who = who.get("email") or who.get("id")
    return fields.person(who, "completed_by", "the annotation") or _NOBODY


def seconds_of(annotation: Mapping[str, Any]) -> float | None:
    """Return how long an annotation took; None if this is not known."""
    seconds = annotation.get("lead_time")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return float(seconds) if 0.0 <= seconds < 1e6 else None


def decide_all(desk: Desk, given: Sequence[Annotated]) -> int:
    """Save annotations as decisions; return how many are new. An action of the desk."""
    return sum(
        desk.import_decision(one.document, one.who, one.labels, one.details()) for one in given
    )


def undo_all(desk: Desk, numbers: Collection[int]) -> int:
    """Undo the decisions of deleted annotations; return how many. An action of the desk."""
    wanted, n = set(numbers), 0
    for decisions in [list(one) for one in desk.record.decisions.values()]:
        for decision in reversed(decisions):
            details = decision.details
            if details.get("imported") == IMPORTED and details.get(ANNOTATION) in wanted:
                desk.undo_imported(decision)
                n += 1
    return n
