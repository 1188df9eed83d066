"""The desk: one open project that any number of people work on, one action at a time.

The desk leases documents to people (`dispatch`, `leases`), saves their decisions and applies them
(`journal`), so that all of them change one ranking (`state`). Every action runs in the thread of
the project's writer (`writing`). A method waits for the result; `queue` does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from satc.code_book import CodeBook
from satc.validation import Validation
from satc.workbench.messages import Message
from satc.workbench.model import events
from satc.workbench.model.clock import later, now
from satc.workbench.model.events import Learnt
from satc.workbench.model.record import Decision, Record
from satc.workbench.model.setting_changes import changed_settings
from satc.workbench.model.shown import Source
from satc.workbench.project.code_book import replace_code_book
from satc.workbench.project.history import History, read_history
from satc.workbench.project.opening import Report, no_report, open_validation
from satc.workbench.review.dispatch import Dispatcher, UnfetchedDocuments
from satc.workbench.review.journal import Journal
from satc.workbench.review.leases import NOT_YOURS, ConflictError, OpenLeases
from satc.workbench.review.managing.assigning import check_assignment
from satc.workbench.review.state import ProjectState
from satc.workbench.review.undo import REOPENED, Undone, can_reopen, say_undone, source_of
from satc.workbench.review.writing.actions import Acting, action, never
from satc.workbench.review.writing.leased_documents import LeasedDocuments
from satc.workbench.review.writing.writer import Writer
from satc.workbench.store import Store
from satc.workbench.store.leases import Lease
from satc.workbench.store.projects import Project, change_settings, get_project


class Desk(Acting):
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
        self._journal.read_leases()
        self._has_decided = False  # since the last commit
        self.writer = Writer(project.name, store, self._journal)
        self.writer.on_commit = self._after_commit

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

    @property
    def leased_documents(self) -> LeasedDocuments:
        """The documents that were leased last, in memory."""
        return self._journal.leased_documents

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep the state in memory as it is; this does not wait for the disk.

        The state can be a moment ahead of the store, by the actions that are being committed.
        """
        if self._journal.is_in_doubt:
            self.writer.make_sure()
        with self._journal.memory:
            yield

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let no action run in other threads; everything that has run is saved."""
        with self.writer.turn(), self._journal.memory:
            if not self._journal.has_transaction:
                self._journal.make_sure()
            yield

    def _after_commit(self) -> None:
        if self._has_decided:
            self._has_decided = False
            self.on_decision()

    def _is_draw_due(self) -> bool:
        return self._dispatcher.must_draw()

    @action(is_durable=_is_draw_due)
    def next(self, who: str) -> tuple[Lease | None, Message | None]:
        """Lease one more document to a person; or return None and the reason."""
        return self._dispatcher.next(who, self.unfetched)

    @action(is_durable=never)
    def open_chosen(self, document: int, who: str) -> Lease:
        """Lease a document that a person chose themselves.

        Raises
        ------
        ConflictError
            If the document is decided, or somebody else has it open.
        """
        if document not in {held.document for held in self.leases.of(who)}:
            self._dispatcher.check_room(who)
        lease, other = self._reopen(document, who, "chosen")
        if other is not None:
            raise ConflictError(Message("server.document_open_elsewhere", who=other))
        if lease is None:
            raise ConflictError(Message("server.document_decided"))
        return lease

    @action()
    def submit(
        self,
        lease: str,
        who: str,
        labels: Sequence[int],
        seconds: float | None,
        more: dict[str, Any] | None = None,
    ) -> int:
        """Save a decision; return its number. Repeating the call changes nothing.

        `more` has further details of the event.

        Raises
        ------
        ConflictError
            If the person no longer has this lease, or has decided otherwise with it.
        """
        known = self.record.decision_of_lease(lease)
        if known is not None and known.who == who:
            self._check_repeated(known, labels)
            return known.number
        held = self.leases.held(lease, who)
        kind = events.SECOND if held.shown.is_second_opinion else events.DECIDE
        if kind == events.DECIDE and self.record.current_decision(held.document) is not None:
            raise ConflictError(NOT_YOURS)
        details = {"shown": held.shown.as_json(), "seconds": seconds} | (more or {})
        event = self.state.new_event(who, kind, held.document, labels, lease, details)
        number = self._journal.record(event, closing=[lease]).number
        self._has_decided = True
        return number

    def _check_repeated(self, known: Decision, labels: Sequence[int]) -> None:
        """Refuse other labels than those that were saved for the same lease."""
        repeated = self.state.new_event(known.who, known.kind, known.document, labels)
        if repeated.labels != known.labels:
            raise ConflictError(Message("server.decided_otherwise"))

    @action()
    def skip(self, lease: str, who: str) -> None:
        """Put a document off: it comes back to this person later, and to others at once."""
        held = self.leases.held(lease, who)
        details = {"source": held.shown.source}
        event = self.state.new_event(who, events.SKIP, held.document, details=details)
        self._journal.record(event, closing=[lease])

    @action(is_durable=never)
    def give_back(self, lease: str, who: str) -> None:
        """Close a document undecided."""
        self._journal.close(self.leases.held(lease, who).lease)

    @action(is_durable=never)
    def release(self, lease: str) -> None:
        """Close a document that anybody has open, undecided; for managers."""
        self._journal.close(self.leases.find(lease).lease)

    @action(is_durable=never)
    def assign(self, lease: str, who: str) -> Lease:
        """Give a document that somebody has open to another person; for managers.

        The reason for which the document was chosen stays, so an audited document stays audited.
        """
        held = self.leases.find(lease)
        check_assignment(self.state, self.leases, held, who)
        return self._dispatcher.assign(held, who)

    @action(is_durable=never)
    def renew(self, lease: str, who: str) -> Lease:
        """Let a lease expire later, counted from now."""
        held = self.leases.held(lease, who)
        longer = replace(held, expires_at=later(self.project.settings.lease_seconds))
        self._journal.extend(longer)
        return longer

    @action()
    def undo(self, who: str) -> Undone:
        """Undo the last action of a person: a decision, a skip, a flag or a note.

        If the action had given a document away, it is leased to the person again.
        """
        action = self.record.actions.last(who)
        if action is None:
            raise ConflictError(Message("server.nothing_to_undo"))
        source = source_of(self.record, action)
        details = {"of": action.number}
        event = self.state.new_event(who, events.UNDO, action.document, details=details)
        self._journal.record(event)
        lease, other = None, None
        if action.kind in REOPENED:
            lease, other = self._reopen(action.document, who, source)
        return Undone(action, lease, say_undone(self.record, action, lease, other))

    def _reopen(self, document: int, who: str, source: Source) -> tuple[Lease | None, str | None]:
        """Lease a document to a person again; or return who has it open, if anybody has."""
        mine = (held for held in self.leases.of(who) if held.document == document)
        if (held := next(mine, None)) is not None:
            return held, None
        expired = self.leases.release_expired()
        if (other := self.leases.reader(document, source)) is not None:
            return None, other
        if not can_reopen(self.record, document, source):
            return None, None
        return self._dispatcher.lease(document, who, source, expired), None

    @action()
    def revise(
        self,
        document: int,
        who: str,
        labels: Sequence[int],
        *,
        any_author: bool,
        details: dict[str, Any] | None = None,
    ) -> int:
        """Replace the decision on a document; the former one stays in the record."""
        current = self.record.current_decision(document)
        if current is None:
            raise ConflictError(Message("server.nothing_to_change"))
        if current.who != who and not any_author:
            raise ConflictError(Message("server.decided_by_other", who=current.who))
        event = self.state.new_event(who, events.REVISE, document, labels, details=details)
        return self._journal.record(event).number

    @action()
    def import_decision(
        self, document: int, who: str, labels: Sequence[int], details: dict[str, Any]
    ) -> bool:
        """Save a decision that was made in another program; return whether it is new.

        A different decision on the same document replaces the former one. `details` must have
        "imported", the name of the program.
        """
        current = self.record.current_decision(document)
        kind = events.DECIDE if current is None else events.REVISE
        event = self.state.new_event(who, kind, document, labels, details=details)
        if current is not None and current.labels == event.labels:
            return False
        self._journal.record(event)
        self._has_decided = True
        return True

    @action()
    def undo_imported(self, decision: Decision) -> None:
        """Undo a decision that was made, and taken back, in another program."""
        details = {"of": decision.number, "imported": decision.details["imported"]}
        event = self.state.new_event(decision.who, events.UNDO, decision.document, details=details)
        self._journal.record(event)

    @action()
    def flag(self, document: int, who: str, flagged: bool) -> None:
        """Mark a document for somebody to look at, or unmark it."""
        if flagged != (document in self.record.flagged):
            kind = events.FLAG if flagged else events.UNFLAG
            self._journal.record(self.state.new_event(who, kind, document))

    @action()
    def note(self, document: int, who: str, note: str) -> None:
        """Write a note on a document; an empty one removes it."""
        if note != self.record.notes.get(document, ""):
            details = {"note": note}
            event = self.state.new_event(who, events.NOTE, document, details=details)
            self._journal.record(event)

    @action(is_alone=True)
    def change_settings(self, changes: Mapping[str, Any]) -> Project:
        """Save changes of the settings; they are in force at once. Returns the project."""
        stored = get_project(self.store, self.project.name)
        settings = changed_settings(stored.settings, changes)
        change_settings(self.store, stored, settings)
        with self._journal.memory:
            self.state.change_project(replace(stored, settings=settings))
        return self.project

    @action(is_alone=True)
    def replace_code_book(self, book: CodeBook) -> tuple[str, ...]:
        """Save another code book; return its codes that are not classes of the project."""
        project, unused = replace_code_book(self.store, self.project, book)
        with self._journal.memory:
            self.state.change_project(project)
        return unused

    @action(is_alone=True)
    def replace_validation(self, larger: Validation) -> None:
        """Go on with an engine that has more documents, which are saved already."""
        with self._journal.memory:
            self.state.replace_validation(larger)

    @action(is_alone=True)
    def learn(self, other: Validation, learnt: Learnt) -> None:
        """Save which decisions the estimates come from, and go on with the engine that has them."""
        if learnt != self.record.learnt:
            self._journal.record(learnt.event(now()))
        with self._journal.memory:
            self.state.exchange_validation(other, learnt)


def _nothing() -> None:
    """Do nothing."""


def open_desk(store: Store, name: str | None = None) -> Desk:
    """Open a project by its name; without a name, the only project of the store."""
    project = get_project(store, name)
    return desk_of(store, project, read_history(store, project))


def desk_of(store: Store, project: Project, history: History, report: Report = no_report) -> Desk:
    """Open a project whose history has been read; `report` is told each step."""
    validation = open_validation(store, project, history, report)
    if history.steps:
        report(Message("server.opening_replaying", n=len(history.steps)))
    return Desk(store, project, validation, history)
