"""The record of a project: decisions, second opinions, flags and notes.

The record is a function of the list of events: `apply` is the only method that changes it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from satc.workbench.model import events
from satc.workbench.model.events import Event, Learnt
from satc.workbench.model.shown import Shown

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

    @property
    def shown(self) -> Shown | None:
        """What the person was shown; None if the decision was imported or is a revision."""
        shown = self.details.get("shown")
        return None if shown is None else Shown.from_json(shown)

    @property
    def seconds(self) -> float | None:
        """How long the decision took, if it was timed."""
        seconds = self.details.get("seconds")
        return None if seconds is None else float(seconds)


class Step(NamedTuple):
    """An event, and the current decision on its document before and after it."""

    event: Event
    before: Decision | None
    after: Decision | None


class Record:
    """Decisions, second opinions, flags and notes of a project.

    Attributes
    ----------
    last_number : int
        The number of the last event.
    decisions, second_opinions : dict
        For each document the decisions that were not undone, the oldest first. The last of
        `decisions` is the current one.
    drawn_for_audit : list of int
        Documents drawn for the audit, in order.
    n_decisions : Counter
        Decisions and second opinions of each person, without revisions.
    seconds, n_timed : float, int
        Time spent on the decisions that were timed, and how many there are.
    learnt : Learnt or None
        The decisions that the probabilities were learnt from the last time.
    """

    def __init__(self) -> None:
        self.last_number = 0
        self.decisions: dict[int, list[Decision]] = defaultdict(list)
        self.second_opinions: dict[int, list[Decision]] = defaultdict(list)
        self.drawn_for_audit: list[int] = []
        self.flagged: set[int] = set()
        self.notes: dict[int, str] = {}
        self.n_decisions: Counter[str] = Counter()
        self.seconds = 0.0
        self.n_timed = 0
        self.learnt: Learnt | None = None
        self._all: list[Decision] = []  # undone ones too
        self._by_lease: dict[str, Decision] = {}
        self._by_person: dict[str, list[Decision]] = defaultdict(list)
        self._skipped: dict[str, dict[int, int]] = defaultdict(dict)

    def current_decision(self, document: int) -> Decision | None:
        """Return the decision that is in force for a document."""
        decisions = self.decisions.get(document)
        return decisions[-1] if decisions else None

    def current_decisions(self) -> list[Decision]:
        """Return the decision in force of every document that has one."""
        return [decisions[-1] for decisions in self.decisions.values() if decisions]

    def last_decision_by(self, who: str) -> Decision | None:
        """Return the decision that a person undoes first."""
        mine = self._by_person.get(who)
        return mine[-1] if mine else None

    def decision_of_lease(self, lease: str) -> Decision | None:
        """Return the decision that was submitted for a lease, even if it was undone."""
        return self._by_lease.get(lease)

    def has_decided(self, who: str, document: int) -> bool:
        """Whether a person has decided on a document or given a second opinion."""
        given = (*self.decisions.get(document, ()), *self.second_opinions.get(document, ()))
        return any(decision.who == who for decision in given)

    def is_skipped(self, who: str, document: int) -> bool:
        """Whether a person skipped a document less than `SKIPPED_FOR` decisions ago."""
        return self.n_decisions[who] < self._skipped.get(who, {}).get(document, 0)

    def recent_decisions(self, limit: int, who: str | None = None) -> list[Decision]:
        """Return the last decisions that are in force, the newest first."""
        chosen = (
            decision
            for decision in reversed(self._all)
            if (who is None or decision.who == who)
            and self.current_decision(decision.document) is decision
        )
        return list(islice(chosen, limit))

    def apply(self, event: Event) -> Step:
        """Update the record by one event."""
        before = self.current_decision(event.document)
        self.last_number = event.number
        if event.kind in (events.DECIDE, events.SECOND, events.REVISE):
            self._decide(event)
        elif event.kind == events.UNDO:
            self._undo(event)
        elif event.kind == events.AUDIT:
            self.drawn_for_audit.append(event.document)
        elif event.kind == events.SKIP:
            self._skipped[event.who][event.document] = self.n_decisions[event.who] + SKIPPED_FOR
        elif event.kind == events.FLAG:
            self.flagged.add(event.document)
        elif event.kind == events.UNFLAG:
            self.flagged.discard(event.document)
        elif event.kind == events.NOTE:
            self._note(event)
        elif event.kind == events.LEARN:
            self.learnt = Learnt.of(event)
        return Step(event, before, self.current_decision(event.document))

    def _decide(self, event: Event) -> None:
        labels = event.labels or ()
        decision = Decision(
            event.number, event.kind, event.document, event.who, event.at, labels, event.details
        )
        self._all.append(decision)
        self._list_of(decision).append(decision)
        self._by_person[event.who].append(decision)
        if event.lease is not None:
            self._by_lease[event.lease] = decision
        self._count(decision, 1)

    def _undo(self, event: Event) -> None:
        number = event.details["of"]
        mine = self._by_person[event.who]
        undone = next((decision for decision in reversed(mine) if decision.number == number), None)
        if undone is None:
            return
        mine.remove(undone)
        decisions = self._list_of(undone)
        decisions.remove(undone)
        if not decisions:
            del self._documents_of(undone)[undone.document]
        self._count(undone, -1)

    def _documents_of(self, decision: Decision) -> dict[int, list[Decision]]:
        return self.second_opinions if decision.kind == events.SECOND else self.decisions

    def _list_of(self, decision: Decision) -> list[Decision]:
        return self._documents_of(decision)[decision.document]

    def _count(self, decision: Decision, change: int) -> None:
        if decision.kind != events.REVISE:
            self.n_decisions[decision.who] += change
        if decision.seconds is not None:
            self.seconds += change * decision.seconds
            self.n_timed += change

    def _note(self, event: Event) -> None:
        self.notes.pop(event.document, None)
        if event.details["note"]:
            self.notes[event.document] = event.details["note"]
