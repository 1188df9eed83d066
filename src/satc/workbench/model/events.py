"""Events: what people do in a project. The list of events only grows.

Every event says who did what to which document and when. A decision also has its labels, its lease
and, in `details`, what was shown (`model.shown`) and the seconds it took. A skip says why the
person had the document (`details["source"]`). A project that learns from decisions also notes when
it has learnt, and from which decisions: those in force after the event with the number
`details["after"]`. The state of a project is a function of the list of events alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

DECIDE = "decide"  # the labels of a document
SECOND = "second"  # the labels that a second person gives, for comparison
REVISE = "revise"  # other labels for a document that was decided before
UNDO = "undo"  # `details["of"]` is the number of the event that is undone
AUDIT = "audit"  # a document is drawn at random, to be audited
SKIP = "skip"
FLAG = "flag"
UNFLAG = "unflag"
NOTE = "note"
LEARN = "learn"  # the probabilities come from the decisions in force after `details["after"]`
KINDS = (DECIDE, SECOND, REVISE, UNDO, AUDIT, SKIP, FLAG, UNFLAG, NOTE, LEARN)
NO_DOCUMENT = -1  # the document of an event that concerns all of them


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


class Learnt(NamedTuple):
    """Which decisions the probabilities of a project were learnt from.

    Attributes
    ----------
    after : int
        The decisions are those in force after the event of this number.
    n_decisions : int
        How many decisions that were.
    """

    after: int
    n_decisions: int

    @classmethod
    def of(cls, event: Event) -> Learnt:
        """Return what an event of the kind `LEARN` says."""
        return cls(event.details["after"], event.details["decisions"])

    def event(self, at: str) -> Event:
        """Return the event that says it."""
        details = {"after": self.after, "decisions": self.n_decisions}
        return Event(0, at, LEARN, LEARN, NO_DOCUMENT, details=details)
