"""Events: what people do in a project. The list of events only grows.

Every event says who did what to which document and when. A decision also has its labels, its lease
and, in `details`, what was shown (`model.shown`) and the seconds it took. The state of a project
is a function of the list of events alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

DECIDE = "decide"  # the labels of a document
SECOND = "second"  # the labels that a second person gives, for comparison
REVISE = "revise"  # other labels for a document that was decided before
UNDO = "undo"  # `details["of"]` is the number of the decision that is undone
AUDIT = "audit"  # a document is drawn at random, to be audited
SKIP = "skip"
FLAG = "flag"
UNFLAG = "unflag"
NOTE = "note"
KINDS = (DECIDE, SECOND, REVISE, UNDO, AUDIT, SKIP, FLAG, UNFLAG, NOTE)


@dataclass(frozen=True)
class Event:
    """One action of one person; its number is 0 until it is stored."""

    number: int
    at: str
    who: str
    kind: str
    document: int
    labels: tuple[int, ...] | None = None
    lease: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
