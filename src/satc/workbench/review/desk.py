"""The desk: one open project that any number of people work on, one request at a time.

The desk leases documents to people (`dispatch`, `leases`), saves their decisions and then applies
them (`journal`), so that all of them change one ranking (`state`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import RLock

from satc.files import Documents
from satc.ranking.unfetched import UnfetchedBound
from satc.validation import Validation
from satc.workbench.model import events
from satc.workbench.model.clock import later, now
from satc.workbench.model.events import Learnt
from satc.workbench.model.record import Decision, Record
from satc.workbench.model.shown import Source
from satc.workbench.project.extension import store_more
from satc.workbench.project.history import History, read_history
from satc.workbench.project.opening import open_validation
from satc.workbench.review.dispatch import Dispatcher, UnfetchedDocuments
from satc.workbench.review.journal import Journal
from satc.workbench.review.leases import NOT_YOURS, ConflictError, OpenLeases
from satc.workbench.review.state import ProjectState
from satc.workbench.store import Store
from satc.workbench.store.larger_set import put_bound
from satc.workbench.store.leases import Lease
from satc.workbench.store.projects import Project, get_project


class Desk:
    """One project at work.

    Parameters
    ----------
    store, project
        Where everything is saved.
    validation
        The engine, with nothing submitted yet.
    history
        The events so far; the desk applies them to the engine.
    """

    def __init__(
        self, store: Store, project: Project, validation: Validation, history: History
    ) -> None:
        self.store = store
        self.state = ProjectState(project, validation, history)
        self.leases = OpenLeases(self.state)
        self.unfetched: UnfetchedDocuments | None = None  # if the project is part of a larger set
        self.on_decision: Callable[[], None] = _nothing  # called after a decision was saved
        self._journal = Journal(store, self.state, self.leases)
        self._dispatcher = Dispatcher(self.state, self.leases, self._journal)
        self._lock = RLock()
        self._journal.read_leases()

    @property
    def project(self) -> Project:
        """The project, with the documents that it has now."""
        return self.state.project

    @property
    def validation(self) -> Validation:
        """The engine, with all decisions submitted."""
        return self.state.validation

    @property
    def record(self) -> Record:
        """Decisions, second opinions, flags and notes."""
        return self.state.record

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let one thread work at a time, on the state that is saved."""
        with self._lock:
            if self._journal.is_in_doubt:
                self._journal.catch_up()
            yield

    def next(self, who: str) -> tuple[Lease | None, str | None]:
        """Lease one more document to a person; or return None and the reason."""
        with self.locked():
            return self._dispatcher.next(who, self.unfetched)

    def submit(self, lease: str, who: str, labels: Sequence[int], seconds: float | None) -> int:
        """Save a decision; return its number. Repeating the call changes nothing."""
        with self.locked():
            known = self.record.decision_of_lease(lease)
            if known is not None and known.who == who:
                return known.number
            held = self.leases.held(lease, who)
            kind = events.SECOND if held.shown.is_second_opinion else events.DECIDE
            if kind == events.DECIDE and self.record.current_decision(held.document) is not None:
                raise ConflictError(NOT_YOURS)
            details = {"shown": held.shown.as_json(), "seconds": seconds}
            event = self.state.new_event(who, kind, held.document, labels, lease, details)
            number = self._journal.record(event, closing=[lease]).number
            self.on_decision()
            return number

    def skip(self, lease: str, who: str) -> None:
        """Put a document off: it comes back to this person later, and to others at once."""
        with self.locked():
            held = self.leases.held(lease, who)
            event = self.state.new_event(who, events.SKIP, held.document)
            self._journal.record(event, closing=[lease])

    def give_back(self, lease: str, who: str) -> None:
        """Close a document undecided."""
        with self.locked():
            self._journal.close(self.leases.held(lease, who).lease)

    def renew(self, lease: str, who: str) -> Lease:
        """Let a lease expire later, counted from now."""
        with self.locked():
            held = self.leases.held(lease, who)
            longer = replace(held, expires_at=later(self.project.settings.lease_seconds))
            self._journal.extend(longer)
            return longer

    def undo(self, who: str) -> tuple[Decision, Lease | None]:
        """Undo a person's last decision, and lease its document to them again."""
        with self.locked():
            last = self.record.last_decision_by(who)
            if last is None:
                raise ConflictError("you have not decided on anything yet: nothing to undo")
            details = {"of": last.number}
            event = self.state.new_event(who, events.UNDO, last.document, details=details)
            self._journal.record(event)
            return last, self._reopen(last)

    def _reopen(self, undone: Decision) -> Lease | None:
        """Lease the document of a decision that was undone; None if there is nothing to decide."""
        document, who = undone.document, undone.who
        is_decided = self.record.current_decision(document) is not None
        is_open = any(lease.document == document for lease in self.leases.of(who))
        if is_open or undone.kind == events.REVISE or (undone.kind == events.DECIDE and is_decided):
            return None
        return self._dispatcher.lease(document, who, self._source_of(undone))

    def _source_of(self, decision: Decision) -> Source:
        if decision.kind == events.SECOND:
            return "second"
        return "audit" if decision.document in self.record.drawn_for_audit else "ranked"

    def revise(self, document: int, who: str, labels: Sequence[int], *, any_author: bool) -> int:
        """Replace the decision on a document; the former one stays in the record."""
        with self.locked():
            current = self.record.current_decision(document)
            if current is None:
                raise ConflictError("nobody has decided on this document yet: nothing to change")
            if current.who != who and not any_author:
                raise ConflictError(
                    f"{current.who} has decided on this document: they or a manager can change it"
                )
            event = self.state.new_event(who, events.REVISE, document, labels)
            return self._journal.record(event).number

    def flag(self, document: int, who: str, flagged: bool) -> None:
        """Mark a document for somebody to look at, or unmark it."""
        with self.locked():
            if flagged != (document in self.record.flagged):
                kind = events.FLAG if flagged else events.UNFLAG
                self._journal.record(self.state.new_event(who, kind, document))

    def note(self, document: int, who: str, note: str) -> None:
        """Write a note on a document; an empty one removes it."""
        with self.locked():
            if note != self.record.notes.get(document, ""):
                details = {"note": note}
                event = self.state.new_event(who, events.NOTE, document, details=details)
                self._journal.record(event)

    def extend(
        self, blocks: Sequence[Documents], larger: Validation, fetch: int, bound: UnfetchedBound
    ) -> None:
        """Save more documents of the larger set, then rank them with the others."""
        with self.locked():
            first, key = self.project.n_documents, self.project.key
            with self._journal.saving() as connection:
                store_more(connection, key, first, blocks, larger.documents)
                put_bound(connection, key, fetch, bound)
            self.replace_validation(larger)

    def replace_validation(self, larger: Validation) -> None:
        """Go on with an engine that has more documents, which are saved already."""
        with self.locked():
            self.state.replace_validation(larger)

    def learn(self, other: Validation, learnt: Learnt) -> None:
        """Save which decisions the estimates come from, and go on with the engine that has them."""
        with self.locked():
            if learnt != self.record.learnt:
                self._journal.record(learnt.event(now()))
            self.state.exchange_validation(other, learnt)


def _nothing() -> None:
    """Do nothing."""


def open_desk(store: Store, name: str | None = None) -> Desk:
    """Open a project by its name; without a name, the only project of the store."""
    project = get_project(store, name)
    return desk_of(store, project, read_history(store, project))


def desk_of(store: Store, project: Project, history: History) -> Desk:
    """Open a project whose history has been read."""
    return Desk(store, project, open_validation(store, project, history), history)
