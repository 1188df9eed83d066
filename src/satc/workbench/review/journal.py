"""Save events and leases, and apply them to the state in memory.

A group of actions shares one transaction: each event is numbered and applied, so that the next
action of the group sees it, and `write` stores the changes of all before the commit. Outside of
such a group, an event is committed first and applied afterwards. If a transaction fails, also if
its outcome is unknown because the connection was lost during the commit, the journal is *in doubt*:
before anything else runs, `make_sure` reads what the store has, and makes the memory equal to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock

from satc.workbench.model.events import Event
from satc.workbench.project.history import read_history
from satc.workbench.review.leases import OpenLeases
from satc.workbench.review.state import ProjectState
from satc.workbench.review.writing.leased_documents import LeasedDocuments
from satc.workbench.review.writing.restoring import restore
from satc.workbench.store import Store, StoreError
from satc.workbench.store import leases as stored_leases
from satc.workbench.store.changes.changes import Changes, append
from satc.workbench.store.leases import Lease
from satc.workbench.store.projects import get_project


class Journal:
    """Saves the events and leases of a project, and applies them to its state.

    Attributes
    ----------
    memory : RLock
        Held while the state in memory changes or is read; never while anybody waits for the disk.
    is_in_doubt : bool
        Whether the state in memory may differ from the store.
    n_written : int
        How often something was written, or tried to be.
    leased_documents : LeasedDocuments
        The documents that were leased last.
    """

    def __init__(self, store: Store, state: ProjectState, leases: OpenLeases) -> None:
        self.memory = RLock()
        self.is_in_doubt = False
        self.n_written = 0
        self._store = store
        self._state = state
        self._leases = leases
        self._assigned: frozenset[str] = frozenset()  # before the transaction
        self._project = state.project.key
        self.leased_documents = LeasedDocuments(self._project)
        self._changes: Changes | None = None  # of the group that is being run

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Changes]:
        """Begin a group, whose changes `write` stores; if it fails, the journal is in doubt."""
        self._assigned = self._leases.assigned
        with self.doubting(), self._store.writing(durable=durable) as connection:
            self._changes = changes = Changes(connection, self._project)
            try:
                yield changes
            finally:
                self._changes = None

    @contextmanager
    def doubting(self) -> Iterator[None]:
        """Be in doubt if the block fails."""
        try:
            yield
        except BaseException:
            self.is_in_doubt = True
            raise

    @property
    def has_transaction(self) -> bool:
        """Whether a group of actions is being run."""
        return self._changes is not None

    def write(self) -> None:
        """Store the changes of the group so far; the end of its transaction commits them."""
        if self._changes is not None:
            with self._store.translating():
                self._changes.write()
                self.leased_documents.read(self._changes.connection)

    @contextmanager
    def _saving(self, *, durable: bool = True) -> Iterator[Changes]:
        """Give the changes of the group, or those of a transaction of its own."""
        self.n_written += 1
        if self._changes is None:
            with self.transaction(durable=durable) as changes:
                yield changes
                self.write()
            return
        with self._store.translating():
            yield self._changes

    def record(self, event: Event, closing: Sequence[str] = ()) -> Event:
        """Save and apply an event, and close leases; return the event with its number."""
        with self._saving() as changes:
            event = append(changes, event)
            stored_leases.remove_leases(changes.leases, closing)
        with self.memory:
            self._state.apply(event)
            for lease in closing:
                self._leases.close(lease)
        return event

    def open(self, lease: Lease, replaced: Sequence[str]) -> None:
        """Save a new lease in place of expired ones on the same document."""
        with self._saving(durable=False) as changes:
            if not lease.shown.is_second_opinion:
                self._state.validation.take(lease.document)
            stored_leases.remove_leases(changes.leases, replaced)
            stored_leases.add_lease(changes.leases, lease)
            self.leased_documents.need(lease.document)
        for old in replaced:
            self._leases.drop(old)
        self._leases.put(lease)

    def extend(self, lease: Lease) -> None:
        """Save the new end of a lease; if it had expired, its document is taken again."""
        with self._saving(durable=False) as changes:
            self._leases.take(lease)
            stored_leases.extend_lease(changes.leases, lease)
        self._leases.put(lease)

    def close(self, lease: str) -> None:
        """Remove a lease without a decision."""
        with self._saving(durable=False) as changes:
            stored_leases.remove_leases(changes.leases, [lease])
        self._leases.close(lease)

    def make_sure(self) -> None:
        """If the journal is in doubt, make the state in memory equal to the store.

        Raises
        ------
        StoreError
            If the store cannot be read; the journal stays in doubt.
        """
        if not self.is_in_doubt:
            return
        self._store.shrink_log(at_once=True)  # the disk may be full
        project = get_project(self._store, self._state.project.name)
        history = read_history(self._store, project)
        leases = stored_leases.read_leases(self._store, self._project)
        with self.memory:
            restore(self._state, project, history)
            self._leases.reload(leases, self._assigned)
            self.is_in_doubt = False

    def try_to_make_sure(self) -> None:
        """Do as `make_sure`, but stay in doubt while the store cannot be read."""
        try:
            self.make_sure()
        except StoreError:
            return

    def read_leases(self) -> None:
        """Replace the leases in memory by the stored ones."""
        self._leases.reload(stored_leases.read_leases(self._store, self._project))
