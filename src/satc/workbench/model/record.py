"""The record of a project: decisions, second opinions, flags and notes.

The record is a function of the list of events: `apply` is the only method that changes it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from satc.workbench.model import events
from satc.workbench.model.actions import ACTIONS, Actions
from satc.workbench.model.events import Event, Learnt
from satc.workbench.model.flags_and_notes import KINDS, FlagsAndNotes
from satc.workbench.model.shown import Shown
from satc.workbench.model.skips import Skips

SAME_AS = "same_as"  # the detail of a decision that names the document its labels come from


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


def is_copy(decision: Decision) -> bool:
    """Whether the labels were copied from a document that is nearly the same."""
    return SAME_AS in decision.details


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
    actions : Actions
        What people did and have not undone.
    flags_and_notes : FlagsAndNotes
        The flags and notes of documents.
    drawn_for_audit : list of int
        Documents drawn for the audit, in order.
    undecided_draws : dict
        Those of them that are not decided, with their place in `drawn_for_audit`.
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
        self.actions = Actions()
        self.flags_and_notes = FlagsAndNotes()
        self.n_decisions: Counter[str] = Counter()
        self.seconds = 0.0
        self.n_timed = 0
        self.learnt: Learnt | None = None
        self.undecided_draws: dict[int, int] = {}
        self._draws: dict[int, int] = {}  # all of them, with their place
        self._all: list[Decision] = []  # undone ones too
        self._by_person: dict[str, list[Decision]] = defaultdict(list)
        self._by_lease: dict[str, Decision] = {}
        self._skips = Skips()

    @property
    def flagged(self) -> set[int]:
        """The documents that are flagged."""
        return self.flags_and_notes.flagged

    @property
    def notes(self) -> dict[int, str]:
        """The note of each document that has one."""
        return self.flags_and_notes.notes

    def current_decision(self, document: int) -> Decision | None:
        """Return the decision that is in force for a document."""
        decisions = self.decisions.get(document)
        return decisions[-1] if decisions else None

    def current_decisions(self) -> list[Decision]:
        """Return the decision in force of every document that has one."""
        return [decisions[-1] for decisions in self.decisions.values() if decisions]

    def decision_of_lease(self, lease: str) -> Decision | None:
        """Return the decision that was submitted for a lease, even if it was undone."""
        return self._by_lease.get(lease)

    def has_decided(self, who: str, document: int) -> bool:
        """Whether a person has decided on a document or given a second opinion."""
        given = (*self.decisions.get(document, ()), *self.second_opinions.get(document, ()))
        return any(decision.who == who for decision in given)

    def is_skipped(self, who: str, document: int) -> bool:
        """Whether a person skipped a document a few decisions ago (`skips.SKIPPED_FOR`)."""
        return self._skips.is_skipped(who, document, self.n_decisions[who])

    @property
    def skipped(self) -> set[int]:
        """The documents that anybody has skipped."""
        return self._skips.documents()

    def recent_decisions(self, limit: int, who: str | None = None) -> list[Decision]:
        """Return the last decisions that are in force, the newest first."""
        made = self._all if who is None else self._by_person.get(who, [])
        chosen = (
            decision
            for decision in reversed(made)
            if self.current_decision(decision.document) is decision
        )
        return list(islice(chosen, limit))

    def apply(self, event: Event) -> Step:
        """Update the record by one event."""
        before = self.current_decision(event.document)
        self.last_number = event.number
        if event.kind in ACTIONS:
            self.actions.add(event)
            self._act(event)
        elif event.kind == events.UNDO:
            if (undone := self.actions.undo(event)) is not None:
                self._undo(undone)
        elif event.kind == events.AUDIT:
            self._draws.setdefault(event.document, len(self.drawn_for_audit))
            self.drawn_for_audit.append(event.document)
        elif event.kind == events.LEARN:
            self.learnt = Learnt.of(event)
        after = self.current_decision(event.document)
        if event.document in self._draws:
            self._update_draw(event.document, is_decided=after is not None)
        return Step(event, before, after)

    def _update_draw(self, document: int, *, is_decided: bool) -> None:
        if is_decided:
            self.undecided_draws.pop(document, None)
        else:
            self.undecided_draws[document] = self._draws[document]

    def _act(self, event: Event) -> None:
        if event.kind in KINDS:
            self.flags_and_notes.add(event)
        elif event.kind == events.SKIP:
            self._skips.add(event, self.n_decisions[event.who])
        else:
            self._decide(event)

    def _undo(self, event: Event) -> None:
        """Undo an action."""
        if event.kind in KINDS:
            self.flags_and_notes.undo(event)
        elif event.kind == events.SKIP:
            self._skips.undo(event)
        else:
            self._undo_decision(event)

    def _decide(self, event: Event) -> None:
        labels = event.labels or ()
        decision = Decision(
            event.number, event.kind, event.document, event.who, event.at, labels, event.details
        )
        self._all.append(decision)
        self._by_person[decision.who].append(decision)
        self._list_of(decision).append(decision)
        if event.lease is not None:
            self._by_lease[event.lease] = decision
        self._count(decision, 1)

    def _undo_decision(self, event: Event) -> None:
        decisions = self._list_of(event)
        undone = next(one for one in decisions if one.number == event.number)
        decisions.remove(undone)
        if not decisions:
            del self._documents_of(event)[event.document]
        self._count(undone, -1)

    def _documents_of(self, one: Decision | Event) -> dict[int, list[Decision]]:
        return self.second_opinions if one.kind == events.SECOND else self.decisions

    def _list_of(self, one: Decision | Event) -> list[Decision]:
        return self._documents_of(one)[one.document]

    def _count(self, decision: Decision, change: int) -> None:
        if decision.kind != events.REVISE:
            self.n_decisions[decision.who] += change
        if decision.seconds is not None:
            self.seconds += change * decision.seconds
            self.n_timed += change
