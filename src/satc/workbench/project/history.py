"""The history of a project: its events, read once and replayed once.

A command or a request that needs several results of the history (the record, the audit log, the
check of the draws) reads one `History` and derives all of them from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from satc.assurance.certificate.audit import AuditedDecision as AuditedDecision
from satc.workbench.model import audit
from satc.workbench.model.events import NO_DOCUMENT, Event
from satc.workbench.model.record import Decision, Record, Step
from satc.workbench.store import Store
from satc.workbench.store.events import read_events
from satc.workbench.store.projects import Project


class Outcome(NamedTuple):
    """The result of all events, without the way to it.

    Attributes
    ----------
    decisions : list of Decision
        The decisions in force, in the order in which they came into force.
    n_changes : int
        How often the current decision on any document has changed.
    documents : list of int
        The documents of all events, in the order of the last event of each.
    """

    decisions: list[Decision]
    n_changes: int
    documents: list[int]


@dataclass(frozen=True, eq=False)
class History:
    """All events of a project with their effects, and the record that they lead to."""

    steps: tuple[Step, ...]
    record: Record

    @classmethod
    def of(cls, events: Iterable[Event]) -> History:
        """Replay events."""
        record = Record()
        return cls(tuple(record.apply(event) for event in events), record)

    def outcome(self) -> Outcome:
        """Return what stands after all events."""
        current: dict[int, Decision] = {}
        documents: dict[int, None] = {}
        n_changes = 0
        for event, before, after in self.steps:
            if event.document == NO_DOCUMENT:
                continue
            documents.pop(event.document, None)
            documents[event.document] = None
            if before is not after:
                n_changes += 1
                current.pop(event.document, None)
                if after is not None:
                    current[event.document] = after
        return Outcome(list(current.values()), n_changes, list(documents))

    def decisions_after(self, number: int) -> list[Decision]:
        """Return the decisions that were in force after the event of this number."""
        current: dict[int, Decision] = {}
        for event, _, after in self.steps:
            if event.number > number:
                break
            current.pop(event.document, None)
            if after is not None:
                current[event.document] = after
        return list(current.values())

    def audit_log(self, assumed: audit.Assumed | None = None) -> list[AuditedDecision]:
        """Return every decided document once, audited ones at the place of their draw.

        With `assumed`, draws that are not decided count as decided with the labels that it returns.
        """
        return audit.audit_log(self.steps, self.record, assumed)

    def pool_log(self, assumed: audit.Assumed | None = None) -> audit.PoolLog:
        """Return what `audit_log` does, and the times of undone decisions."""
        return audit.pool_log(self.steps, self.record, assumed)

    def check_draws(self, seed: int, n_documents: int) -> None:
        """Refuse a history whose audited documents are not those that the seed draws."""
        audit.check_draws(self.steps, seed, n_documents)


def read_history(store: Store, project: Project) -> History:
    """Read the stored events of a project and replay them."""
    return History.of(read_events(store, project.key))
