"""Save first, then apply: the state in memory never gets ahead of the store.

If saving fails, nothing has happened. If the outcome is unknown because the connection was lost
during a commit, the journal is *in doubt*; `catch_up` then reads what the store has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from satc.workbench.model.events import Event
from satc.workbench.review.leases import OpenLeases
from satc.workbench.review.state import ProjectState
from satc.workbench.store import Store, StoreError, Transaction
from satc.workbench.store import leases as stored_leases
from satc.workbench.store.events import append, read_events
from satc.workbench.store.leases import Lease


class Journal:
    """Saves the events and leases of a project, and applies them to its state."""

    def __init__(self, store: Store, state: ProjectState, leases: OpenLeases) -> None:
        self._store = store
        self._state = state
        self._leases = leases
        self._project = state.project.key
        self.is_in_doubt = False

    @contextmanager
    def saving(self, *, durable: bool = True) -> Iterator[Transaction]:
        """Give a transaction; if it fails, the journal is in doubt."""
        try:
            with self._store.writing(durable=durable) as connection:
                yield connection
        except StoreError:
            self.is_in_doubt = True
            raise

    def record(self, event: Event, closing: Sequence[str] = ()) -> Event:
        """Save and apply an event, and close leases; return the event with its number."""
        with self.saving() as connection:
            event = append(connection, self._project, event)
            stored_leases.remove_leases(connection, list(closing))
        self._state.apply(event)
        for lease in closing:
            self._leases.close(lease)
        return event

    def open(self, lease: Lease, replaced: Sequence[str]) -> None:
        """Save a new lease in place of expired ones on the same document."""
        validation, is_first = self._state.validation, not lease.shown.is_second_opinion
        if is_first:
            validation.take(lease.document)
        try:
            with self.saving(durable=False) as connection:
                stored_leases.remove_leases(connection, list(replaced))
                stored_leases.add_lease(connection, self._project, lease)
        except StoreError:
            if is_first:
                validation.give_back(lease.document)
            raise
        for old in replaced:
            self._leases.drop(old)
        self._leases.put(lease)

    def extend(self, lease: Lease) -> None:
        """Save the new end of a lease; if it had expired, its document is taken again."""
        self._leases.take(lease)
        with self.saving(durable=False) as connection:
            stored_leases.extend_lease(connection, lease.lease, lease.expires_at)
        self._leases.put(lease)

    def close(self, lease: str) -> None:
        """Remove a lease without a decision."""
        with self.saving(durable=False) as connection:
            stored_leases.remove_leases(connection, [lease])
        self._leases.close(lease)

    def catch_up(self) -> None:
        """Apply the stored events that were not applied yet, and read the stored leases."""
        for event in read_events(self._store, self._project, self._state.record.last_number):
            self._state.apply(event)
        self.read_leases()
        self.is_in_doubt = False

    def read_leases(self) -> None:
        """Replace the leases in memory by the stored ones."""
        self._leases.reload(stored_leases.read_leases(self._store, self._project))
