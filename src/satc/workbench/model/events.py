"""What people do, as a list that only grows.

Every event says who, when, what kind, which document, and for decisions the labels, the lease
they came by and what was shown. The state of a project is a function of this list alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

DECIDE = "decide"  # the labels of a document
SECOND = "second"  # the labels that a second person gives, for comparison
REVISE = "revise"  # other labels for a document that was decided before
UNDO = "undo"  # the last of the above on this document is taken back
AUDIT = "audit"  # a document is drawn at random, to be audited
SKIP = "skip"
FLAG = "flag"
UNFLAG = "unflag"
NOTE = "note"
KINDS = (DECIDE, SECOND, REVISE, UNDO, AUDIT, SKIP, FLAG, UNFLAG, NOTE)


@dataclass(frozen=True)
class Event:
    """One thing that one person did."""

    number: int
    at: str
    who: str
    kind: str
    document: int
    labels: tuple[int, ...] | None = None
    lease: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
