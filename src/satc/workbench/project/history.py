"""The history of a project: its events, read once and replayed once.

A command or a request that needs several results of the history (the record, the audit log, the
check of the draws) reads one `History` and derives all of them from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from satc.assurance.certificate.audit import AuditedDecision as AuditedDecision
from satc.workbench.model import audit
from satc.workbench.model.events import Event
from satc.workbench.model.record import Decision, Record, Step
from satc.workbench.store import Store
from satc.workbench.store.events import read_events
from satc.workbench.store.projects import Project


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

    def audit_log(self) -> list[AuditedDecision]:
        """Return every decided document once, audited ones at the place of their draw."""
        return audit.audit_log(self.steps, self.record)

    def check_draws(self, seed: int, n_documents: int) -> None:
        """Refuse a history whose audited documents are not those that the seed draws."""
        audit.check_draws(self.steps, seed, n_documents)


def read_history(store: Store, project: Project) -> History:
    """Read the stored events of a project and replay them."""
    return History.of(read_events(store, project.key))
