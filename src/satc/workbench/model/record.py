"""What the events so far amount to: decisions, second opinions, flags, notes.

`apply` is the only way in, so the record is a function of the list of events.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import Any

from satc.workbench.model import events
from satc.workbench.model.events import Event

SKIPPED_FOR = 20  # decisions that a person makes before a document they skipped comes back


@dataclass(frozen=True)
class Decision:
    """The labels that one person gave to one document."""

    number: int
    kind: str
    document: int
    who: str
    at: str
    labels: tuple[int, ...]
    details: dict[str, Any]


class Record:
    """Decisions, second opinions, flags and notes of a project."""

    def __init__(self) -> None:
        self.last_number = 0
        self.decided: dict[int, list[Decision]] = defaultdict(list)  # the last one stands
        self.opinions: dict[int, list[Decision]] = defaultdict(list)
        self.audited: list[int] = []  # documents drawn for the audit, in order
        self.flagged: set[int] = set()
        self.notes: dict[int, str] = {}
        self.count: Counter[str] = Counter()  # decisions and opinions of each person
        self.seconds = 0.0  # spent on timed decisions
        self.n_timed = 0
        self._history: list[Decision] = []
        self._by_lease: dict[str, Decision] = {}
        self._by_person: dict[str, list[Decision]] = defaultdict(list)
        self._skipped: dict[str, dict[int, int]] = defaultdict(dict)

    def standing(self, document: int) -> Decision | None:
        """Return the decision that holds for a document."""
        decisions = self.decided.get(document)
        return decisions[-1] if decisions else None

    def last_of(self, who: str) -> Decision | None:
        """Return what a person would take back by undoing."""
        mine = self._by_person.get(who)
        return mine[-1] if mine else None

    def by_lease(self, lease: str) -> Decision | None:
        """Return the decision that came by a lease."""
        return self._by_lease.get(lease)

    def has_seen(self, who: str, document: int) -> bool:
        """Whether a person has decided on a document, for the first or the second time."""
        seen = (*self.decided.get(document, ()), *self.opinions.get(document, ()))
        return any(decision.who == who for decision in seen)

    def is_skipped(self, who: str, document: int) -> bool:
        """Whether a document that a person skipped is not to come back to them yet."""
        return self.count[who] < self._skipped.get(who, {}).get(document, 0)

    def recent(self, limit: int, who: str | None = None) -> list[Decision]:
        """Return the decisions that stand, the last one first."""
        chosen = (
            decision
            for decision in reversed(self._history)
            if (who is None or decision.who == who) and self.standing(decision.document) is decision
        )
        return list(islice(chosen, limit))

    def apply(self, event: Event) -> None:
        """Take one event in."""
        self.last_number = event.number
        if event.kind in (events.DECIDE, events.SECOND, events.REVISE):
            self._decide(event)
        elif event.kind == events.UNDO:
            self._undo(event)
        elif event.kind == events.AUDIT:
            self.audited.append(event.document)
        elif event.kind == events.SKIP:
            self._skipped[event.who][event.document] = self.count[event.who] + SKIPPED_FOR
        elif event.kind == events.FLAG:
            self.flagged.add(event.document)
        elif event.kind == events.UNFLAG:
            self.flagged.discard(event.document)
        elif event.kind == events.NOTE:
            self._note(event)

    def _decide(self, event: Event) -> None:
        labels = event.labels or ()
        decision = Decision(
            event.number, event.kind, event.document, event.who, event.at, labels, event.details
        )
        self._history.append(decision)
        kept = self.opinions if event.kind == events.SECOND else self.decided
        kept[event.document].append(decision)
        self._by_person[event.who].append(decision)
        self.count[event.who] += event.kind != events.REVISE
        if event.lease is not None:
            self._by_lease[event.lease] = decision
        if (seconds := event.details.get("seconds")) is not None:
            self.seconds += float(seconds)
            self.n_timed += 1

    def _undo(self, event: Event) -> None:
        number = event.details["of"]
        mine = self._by_person[event.who]
        undone = next((decision for decision in reversed(mine) if decision.number == number), None)
        if undone is None:
            return
        mine.remove(undone)
        self.count[event.who] -= undone.kind != events.REVISE
        if (seconds := undone.details.get("seconds")) is not None:
            self.seconds -= float(seconds)
            self.n_timed -= 1
        kept = self.opinions if undone.kind == events.SECOND else self.decided
        kept[event.document].remove(undone)
        if not kept[event.document]:
            del kept[event.document]

    def _note(self, event: Event) -> None:
        self.notes.pop(event.document, None)
        if event.details["note"]:
            self.notes[event.document] = event.details["note"]
