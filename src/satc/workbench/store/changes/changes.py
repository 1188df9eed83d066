"""`Changes`: the events and leases of one transaction, and the messages to webhooks about them."""

from __future__ import annotations

from satc.workbench.model.events import Event
from satc.workbench.store.changes.events import NewEvents
from satc.workbench.store.connection import Transaction
from satc.workbench.store.leases import LeaseChanges, write_leases
from satc.workbench.store.webhooks.enqueuing import enqueue


class Changes:
    """What one transaction changes in a project; nothing is stored before `write`."""

    def __init__(self, connection: Transaction, project: int) -> None:
        self.connection = connection
        self.project = project
        self.events = NewEvents(connection, project)
        self.leases = LeaseChanges()

    def write(self) -> None:
        """Store the changes since the last call."""
        enqueue(self.connection, self.project, self.events.write())
        leases, self.leases = self.leases, LeaseChanges()
        write_leases(self.connection, self.project, leases)


def append(changes: Changes, event: Event) -> Event:
    """Append an event; return it with its number."""
    return changes.events.add(event)
