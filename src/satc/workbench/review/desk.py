"""The desk: hands documents out, takes decisions in, and lets everybody feed one ranking.

A document that somebody has opened is *leased*: nobody else gets it until it is decided, given
back, or the lease has run out. Whatever is done is first saved, then applied, one thing at a time:
if saving fails, nothing has happened. Where the outcome of saving is not known (a database that
went away at the wrong moment), the desk reads what was saved before it goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import RLock
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from satc.assurance.certificate.audit import AuditSample
from satc.errors import SatcError
from satc.files import Documents
from satc.inputs import indicator
from satc.ranking.unfetched import Outside
from satc.validation import Validation
from satc.workbench.model import events
from satc.workbench.model.clock import later, now
from satc.workbench.model.events import Event
from satc.workbench.model.record import Decision, Record
from satc.workbench.model.sampling import belongs
from satc.workbench.project.extension import store_more
from satc.workbench.project.larger_set import put_outside
from satc.workbench.project.opening import open_validation
from satc.workbench.review.assignment import Choice
from satc.workbench.review.suggestions import suggest
from satc.workbench.store import Store, StoreError, Transaction
from satc.workbench.store import leases as stored_leases
from satc.workbench.store.events import append, read_events
from satc.workbench.store.leases import Lease
from satc.workbench.store.projects import Project, get_project

OPEN_AT_ONCE = 10  # documents that one person may have open
FETCHING = "More documents are being fetched: the next one comes in a moment."


class ConflictError(SatcError):
    """What was asked for does not fit what others, or the same person, have done meanwhile."""


class Beyond(Protocol):
    """The documents that are not at the desk."""

    def must_wait(self, validation: Validation, document: int | None) -> bool:
        """Whether one of them could be better than this one."""


class Desk:
    """One project at work.

    Parameters
    ----------
    store, project
        Where everything is saved.
    validation
        The engine, with nothing submitted yet; the saved events are played to it.
    """

    def __init__(self, store: Store, project: Project, validation: Validation) -> None:
        self.store = store
        self.project = project
        self.validation = validation
        self.record = Record()
        self.changes = 0  # how often what stands has changed
        self.n_corrected = 0  # documents whose labels are not the predicted ones
        self.beyond: Beyond | None = None  # where the project holds a part of a larger set
        self._leases: dict[str, Lease] = {}
        self._choice = Choice(project.settings, validation, self.record)
        self._stale = True
        self._lock = RLock()
        with self.locked():
            pass

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Do one thing at a time, on the state that is saved."""
        with self._lock:
            if self._stale:
                self._catch_up()
            yield

    # What people ask for

    def next(self, who: str) -> tuple[Lease | None, str | None]:
        """Lease one more document to a person; None, with the reason, where there is none."""
        with self.locked():
            lapsed = self._lapse()
            if len(self.open_of(who)) >= OPEN_AT_ONCE:
                raise ConflictError(
                    f"you have {OPEN_AT_ONCE} documents open: decide on one, or give it back"
                )
            self._draw()
            document, source = self._choice.choose(who, self._busy(who))
            beyond = self.beyond if source == "ranked" else None
            if beyond is not None and beyond.must_wait(self.validation, document):
                return None, FETCHING
            if document is None:
                return None, self._reason(who)
            return self._lease(document, who, source, lapsed), None

    def submit(self, lease: str, who: str, labels: Sequence[int], seconds: float | None) -> int:
        """Save a decision; return its number. Repeating the call changes nothing."""
        with self.locked():
            known = self.record.by_lease(lease)
            if known is not None and known.who == who:
                return known.number
            held = self._held(lease, who)
            kind = events.SECOND if held.shown["source"] == "second" else events.DECIDE
            if kind == events.DECIDE and self.record.standing(held.document) is not None:
                raise ConflictError(_TAKEN)
            details = {"shown": held.shown, "seconds": seconds}
            event = self._event(who, kind, held.document, labels, lease, details)
            return self._save(event, closing=[lease]).number

    def skip(self, lease: str, who: str) -> None:
        """Put a document off: it comes back to this person later, and to others at once."""
        with self.locked():
            held = self._held(lease, who)
            self._save(self._event(who, events.SKIP, held.document), closing=[lease])

    def give_back(self, lease: str, who: str) -> None:
        """Close a document undecided."""
        with self.locked():
            self._held(lease, who)
            with self._saving(durable=False) as connection:
                stored_leases.remove_leases(connection, [lease])
            self._close(lease)

    def renew(self, lease: str, who: str) -> Lease:
        """Keep a document for longer."""
        with self.locked():
            held = self._held(lease, who)
            longer = replace(held, expires_at=later(self.project.settings.lease_seconds))
            if self._is_first(held) and not self._is_kept(held):
                self.validation.take(held.document)
            with self._saving(durable=False) as connection:
                stored_leases.extend_lease(connection, lease, longer.expires_at)
            self._leases[lease] = longer
            return longer

    def undo(self, who: str) -> tuple[Decision, Lease | None]:
        """Take back a person's last decision, and open that document for them again."""
        with self.locked():
            last = self.record.last_of(who)
            if last is None:
                raise ConflictError("you have not decided on anything yet: nothing to undo")
            self._save(self._event(who, events.UNDO, last.document, details={"of": last.number}))
            if last.kind == events.REVISE or any(
                lease.document == last.document for lease in self.open_of(who)
            ):
                return last, None
            if last.kind == events.DECIDE and self.record.standing(last.document) is not None:
                return last, None
            source = "second" if last.kind == events.SECOND else "ranked"
            if source == "ranked" and last.document in self.record.audited:
                source = "audit"
            return last, self._lease(last.document, who, source, [])

    def revise(self, document: int, who: str, labels: Sequence[int], *, any_author: bool) -> int:
        """Replace the decision on a document; the former one stays in the record."""
        with self.locked():
            standing = self.record.standing(document)
            if standing is None:
                raise ConflictError("nobody has decided on this document yet: nothing to change")
            if standing.who != who and not any_author:
                raise ConflictError(
                    f"{standing.who} has decided on this document: they or a manager can change it"
                )
            return self._save(self._event(who, events.REVISE, document, labels)).number

    def flag(self, document: int, who: str, flagged: bool) -> None:
        """Mark a document for somebody to look at, or unmark it."""
        with self.locked():
            if flagged != (document in self.record.flagged):
                self._save(self._event(who, events.FLAG if flagged else events.UNFLAG, document))

    def note(self, document: int, who: str, note: str) -> None:
        """Write a note on a document; an empty one removes it."""
        with self.locked():
            if note != self.record.notes.get(document, ""):
                self._save(self._event(who, events.NOTE, document, details={"note": note}))

    def open_of(self, who: str) -> list[Lease]:
        """Return the documents that a person has open, the oldest first."""
        return [lease for lease in self._leases.values() if lease.who == who]

    def extend(
        self, blocks: Sequence[Documents], larger: Validation, look: int, outside: Outside
    ) -> None:
        """Take more documents in, found in a look at the whole set: saved, then ranked."""
        with self.locked():
            first, key = self.project.n_documents, self.project.key
            with self._saving() as connection:
                store_more(connection, key, first, blocks, larger.setting)
                put_outside(connection, key, look, outside)
            self.adopt(larger)

    def adopt(self, larger: Validation) -> None:
        """Go on with more documents, which are saved already."""
        with self.locked():
            larger.resume(self.validation)
            self.validation = larger
            self._choice.renew(larger)
            self.project = replace(self.project, n_documents=larger.n_documents)
            self.changes += 1

    def n_open(self) -> int:
        """Count the documents that people have open."""
        present = now()
        return sum(lease.expires_at >= present for lease in self._leases.values())

    def since_correction(self) -> int:
        """Count the documents validated since the last one that needed a correction."""
        decided = self.validation.setting.scores >= 0
        count = 0
        for document, labels in reversed(self.validation.decisions):
            if (labels != decided[document]).any():
                break
            count += 1
        return count

    def is_second_reader(self, who: str, document: int) -> bool:
        """Whether a person has a document open for a second opinion, not to see the first."""
        return any(
            held.document == document and held.shown["source"] == "second"
            for held in self.open_of(who)
        )

    def predicted(self, document: int) -> tuple[int, ...]:
        """Return the labels that the classifier gave."""
        decided = self.validation.setting.scores[document] >= 0
        return tuple(np.flatnonzero(decided).tolist())

    # Saving and applying

    def _event(
        self,
        who: str,
        kind: str,
        document: int,
        labels: Sequence[int] | None = None,
        lease: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> Event:
        chosen = None if labels is None else tuple(sorted(set(labels)))
        n_classes = len(self.project.classes)
        if chosen and not (chosen[0] >= 0 and chosen[-1] < n_classes):
            raise ValueError(f"labels must be classes, 0 to {n_classes - 1}, but are {chosen}")
        if not 0 <= document < self.project.n_documents:
            last = self.project.n_documents - 1
            raise ValueError(f"document must be from 0 to {last}, but is {document}")
        return Event(0, now(), who, kind, document, chosen, lease, details or {})

    def _save(self, event: Event, closing: Sequence[str] = ()) -> Event:
        with self._saving() as connection:
            event = append(connection, self.project.key, event)
            stored_leases.remove_leases(connection, list(closing))
        self._apply(event)
        for lease in closing:
            self._close(lease)
        return event

    @contextmanager
    def _saving(self, *, durable: bool = True) -> Iterator[Transaction]:
        try:
            with self.store.writing(durable=durable) as connection:
                yield connection
        except StoreError:
            self._stale = True
            raise

    def _apply(self, event: Event) -> None:
        """Let the record, the ranking and the list of second opinions follow an event."""
        document = event.document
        before = self.record.standing(document)
        self.record.apply(event)
        after = self.record.standing(document)
        if before is not after:
            if before is not None:
                self.validation.undo(document)
                self.n_corrected -= before.labels != self.predicted(document)
            if after is not None:
                self.validation.submit(document, self._vector(after.labels))
                self.n_corrected += after.labels != self.predicted(document)
            self.changes += 1
        self._choice.follow(document)

    def _vector(self, labels: Sequence[int]) -> NDArray[np.bool_]:
        return indicator([labels], range(len(self.project.classes)))[0]

    def _catch_up(self) -> None:
        """Apply the saved events that have not been applied, and read the leases."""
        for event in read_events(self.store, self.project.key, self.record.last_number):
            self._apply(event)
        leases = stored_leases.read_leases(self.store, self.project.key)
        for lease in [*self._leases]:
            self._close(lease)
        for held in leases:
            self._leases[held.lease] = held
            if self._is_first(held) and not self._is_kept(held):
                self.validation.take(held.document)
        self._stale = False

    # Handing out

    def _lease(self, document: int, who: str, source: str, lapsed: Sequence[Lease]) -> Lease:
        settings = self.project.settings
        shown: dict[str, Any] = {"source": source, "validated": self.validation.n_validated}
        shown["blind"] = belongs(document, settings.blind, "blind", settings.seed)
        if not shown["blind"]:
            shown |= suggest(self.validation, document).as_shown()
        expires = later(settings.lease_seconds)
        lease = Lease(uuid4().hex, document, who, expires, shown)
        replaced = [old.lease for old in lapsed if old.document == document]
        if source != "second":
            self.validation.take(document)
        try:
            with self._saving(durable=False) as connection:
                stored_leases.remove_leases(connection, replaced)
                stored_leases.add_lease(connection, self.project.key, lease)
        except StoreError:
            if source != "second":
                self.validation.give_back(document)
            raise
        for old in replaced:
            self._leases.pop(old, None)
        self._leases[lease.lease] = lease
        return lease

    def _lapse(self) -> list[Lease]:
        """Put documents whose lease has run out back among the others.

        The lease itself stays good until somebody else gets the document: a late decision on a
        document that nobody else has seen is as welcome as any.
        """
        present = now()
        lapsed = [lease for lease in self._leases.values() if lease.expires_at < present]
        for lease in lapsed:
            if self._is_first(lease) and self._is_kept(lease):
                self.validation.give_back(lease.document)
        return lapsed

    def _busy(self, who: str) -> set[int]:
        """Return the documents that somebody reads now, or that this person has open."""
        present = now()
        leases = self._leases.values()
        return {held.document for held in leases if held.expires_at >= present or held.who == who}

    def _draw(self) -> None:
        """Draw a document for the audit, if one is due: among all that are not decided yet."""
        settings, n = self.project.settings, self.project.n_documents
        audit = AuditSample(n, settings.seed, rate=settings.audit, drawn=self.record.audited)
        if audit.is_due(self.validation.n_validated):
            document = audit.draw(np.flatnonzero(self.validation.is_validated))
            if document is not None:
                self._save(self._event("audit", events.AUDIT, document))

    def _reason(self, who: str) -> str:
        if self.validation.n_validated == self.project.n_whole:
            return "Every document is validated."
        if self.validation.n_validated == self.validation.n_documents:
            return "Every document that is here is validated, and no more can be fetched just now."
        if self.open_of(who) and self.n_open() == len(self.open_of(who)):
            return "The documents that are left are the ones you have open."
        return "The documents that are left are open at other people's: come back in a while."

    def _held(self, lease: str, who: str) -> Lease:
        held = self._leases.get(lease)
        if held is None or held.who != who:
            raise ConflictError(_TAKEN)
        return held

    def _is_first(self, lease: Lease) -> bool:
        """Whether the lease is for a first decision that is still to be made."""
        first = lease.shown["source"] != "second"
        return first and self.record.standing(lease.document) is None

    def _is_kept(self, lease: Lease) -> bool:
        return self.validation.is_taken(lease.document)

    def _close(self, lease: str) -> None:
        held = self._leases.pop(lease, None)
        if held is not None and self._is_first(held) and self._is_kept(held):
            self.validation.give_back(held.document)


_TAKEN = (
    "this document is no longer yours: the time for it ran out and it went to somebody else, "
    "or it is decided already"
)


def open_desk(store: Store, name: str | None = None) -> Desk:
    """Return the desk of a project, with all saved events applied."""
    project = get_project(store, name)
    return Desk(store, project, open_validation(store, project))
