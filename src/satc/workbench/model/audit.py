"""The audit: documents drawn uniformly among all that nobody has decided on yet.

A draw is an event of its own. It follows from the project's seed and the number of the draw, so
anyone can check it. A document that was drawn is audited whenever it is decided, even if somebody
has it open already, and stays drawn if it is skipped: nobody can remove a hard document from the
sample. The certificate uses the draws before the first draw that is not decided yet. A document
whose decision was undone was not drawn from while it was decided (`PoolLog`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import accumulate, takewhile
from typing import NamedTuple

from satc.assurance.certificate.audit import Absence, AuditedDecision, AuditSample
from satc.errors import DataError
from satc.workbench.model import events
from satc.workbench.model.disagreements import double_readings
from satc.workbench.model.record import Record, Step

Assumed = Callable[[int], tuple[int, ...]]  # from a document to its labels


class AuditCounts(NamedTuple):
    """How many documents were drawn, how many of them are decided, and how many count.

    A certificate counts the draws before the first one that is not decided.
    """

    n_drawn: int
    n_decided: int
    n_counted: int

    def as_dict(self) -> dict[str, int]:
        """Return all counts by name."""
        return {**self._asdict(), "n_undecided": self.n_undecided, "n_blocked": self.n_blocked}

    @property
    def n_undecided(self) -> int:
        """Drawn documents that are not decided."""
        return self.n_drawn - self.n_decided

    @property
    def n_blocked(self) -> int:
        """Drawn documents that are decided, but do not count until earlier ones are decided."""
        return self.n_decided - self.n_counted


def audit_counts(record: Record) -> AuditCounts:
    """Count the documents that were drawn for the audit."""
    n_drawn, undecided = len(record.drawn_for_audit), record.undecided_draws
    n_counted = min(undecided.values(), default=n_drawn)
    return AuditCounts(n_drawn, n_drawn - len(undecided), n_counted)


def audit_log(
    steps: Sequence[Step], record: Record, assumed: Assumed | None = None
) -> list[AuditedDecision]:
    """Return every decided document once, audited ones at the place of their draw.

    Documents drawn after the first draw that is not decided yet count as decided, not as audited.

    Parameters
    ----------
    steps
        All events of the project, with their effects.
    record
        The record after the last step.
    assumed
        The labels of a drawn document that is not decided; such documents then count as decided.
    """
    return pool_log(steps, record, assumed).decisions


class PoolLog(NamedTuple):
    """The log of decisions, and the times in which undone decisions kept documents out of it.

    A document that is decided is not drawn from. If its decision is undone, the draws until then
    still say nothing about it.
    """

    decisions: list[AuditedDecision]
    undone: list[Absence]


class _Entry(NamedTuple):
    """A document leaves the documents that are drawn from, and comes back if it is undone."""

    document: int
    is_audit: bool


def pool_log(steps: Sequence[Step], record: Record, assumed: Assumed | None = None) -> PoolLog:
    """Return the log of decisions as `audit_log` does, and the times of undone decisions."""
    current = {decision.document: decision.labels for decision in record.current_decisions()}
    if assumed is not None:
        current |= {i: assumed(i) for i in record.drawn_for_audit if i not in current}
    audited = _audited(record, current)
    entries: list[_Entry | None] = []  # in the order of time; None marks an undo
    open_entries: dict[int, int] = {}  # documents that are decided or drawn, with their entry
    ended: dict[int, int] = {}  # undone entries, with the place of the undo
    for event, before, after in steps:
        document = event.document
        if event.kind == events.AUDIT and document in audited:
            open_entries[document] = len(entries)
            entries.append(_Entry(document, True))
        elif before is None and after is not None and document not in open_entries:
            open_entries[document] = len(entries)
            entries.append(_Entry(document, False))
        elif (
            before is not None and after is None and not _is_audit(entries, open_entries, document)
        ):
            ended[open_entries.pop(document)] = len(entries)
            entries.append(None)
    return _placed(entries, ended, current)


def _is_audit(entries: list[_Entry | None], open_entries: dict[int, int], document: int) -> bool:
    """Whether a document was drawn already: it is not drawn from again, whatever is undone."""
    entry = entries[open_entries[document]]
    return entry is not None and entry.is_audit


def _placed(
    entries: list[_Entry | None], ended: dict[int, int], current: dict[int, tuple[int, ...]]
) -> PoolLog:
    decisions: list[AuditedDecision] = []
    place = []  # of each entry: how many decisions that still stand come before it
    for number, entry in enumerate(entries):
        place.append(len(decisions))
        if entry is not None and number not in ended:
            document = entry.document
            decisions.append(AuditedDecision(document, current[document], entry.is_audit))
    undone = [
        Absence(entry.document, place[start], place[end])
        for start, end in ended.items()
        if (entry := entries[start]) is not None
    ]
    n_audited = [0, *accumulate(one.is_audit for one in decisions)]
    return PoolLog(decisions, [one for one in undone if _matters(one, n_audited)])


def _matters(absence: Absence, n_audited: list[int]) -> bool:
    """Whether a document was drawn for the audit in the meantime.

    `n_audited` counts the audited ones among the first 0, 1, 2, ... decisions.
    """
    return n_audited[absence.last] > n_audited[absence.first]


class Changes(NamedTuple):
    """How many decisions were undone and revised, and how many of those on audited documents."""

    decisions_undone: int
    audits_undone: int
    decisions_revised: int
    audits_revised: int

    def as_dict(self) -> dict[str, int]:
        """Return the numbers by names for people."""
        return {name.replace("_", " "): n for name, n in self._asdict().items()}


def changes(steps: Sequence[Step], record: Record) -> Changes:
    """Count decisions that were undone, and labels that were replaced by others."""
    drawn = set(record.drawn_for_audit)
    undone = [event for event, before, after in steps if before is not None and after is None]
    revised = [
        event
        for event, before, after in steps
        if before is not None and after is not None and before.labels != after.labels
    ]
    return Changes(
        len(undone),
        sum(event.document in drawn for event in undone),
        len(revised),
        sum(event.document in drawn for event in revised),
    )


def _audited(record: Record, current: Container[int]) -> set[int]:
    """Return the documents drawn before the first one that is not decided."""
    return set(takewhile(lambda document: document in current, record.drawn_for_audit))


def disagreements(record: Record) -> list[int]:
    """Return the number of labels that differ, for each document that two people decided on."""
    return [
        len(set(first.labels) ^ set(second.labels)) for _, first, second in double_readings(record)
    ]


def check_draws(steps: Sequence[Step], seed: int, n_documents: int) -> None:
    """Refuse events whose audited documents are not those that the seed draws."""
    audit = AuditSample(n_documents, seed)
    decided: set[int] = set()
    for event, _, after in steps:
        if event.kind == events.AUDIT and event.document != audit.draw(decided):
            raise DataError(
                f"event {event.number}: the audit must draw the document that the seed gives, "
                f"but draws {event.document}"
            )
        if after is None:
            decided.discard(event.document)
        else:
            decided.add(event.document)
