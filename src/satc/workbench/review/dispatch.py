"""Give people their next document: choose it, lease it, and note what is shown beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol
from uuid import uuid4

import numpy as np

from satc.assurance.certificate.audit import AuditSample
from satc.validation import Validation
from satc.workbench.messages import Message
from satc.workbench.model import events
from satc.workbench.model.clock import later, now
from satc.workbench.model.sampling import in_share
from satc.workbench.model.shown import Shown, Source
from satc.workbench.review.journal import Journal
from satc.workbench.review.leases import ConflictError, OpenLeases
from satc.workbench.review.state import ProjectState
from satc.workbench.review.suggestions import suggest
from satc.workbench.store.leases import Lease

OPEN_AT_ONCE = 10  # documents that one person may have open
FETCHING = Message("server.fetching")


class UnfetchedDocuments(Protocol):
    """The documents of a larger set that the project does not hold."""

    def must_wait(self, validation: Validation, document: int | None) -> bool:
        """Whether one of them could be better than this document."""


class Dispatcher:
    """Leases documents to people."""

    def __init__(self, state: ProjectState, leases: OpenLeases, journal: Journal) -> None:
        self._state = state
        self._leases = leases
        self._journal = journal

    def next(
        self, who: str, unfetched: UnfetchedDocuments | None
    ) -> tuple[Lease | None, Message | None]:
        """Lease one more document to a person; or return None and the reason."""
        if (assigned := self._leases.next_assigned(who)) is not None:
            self._leases.mark_seen([assigned])
            return assigned, None
        expired = self._leases.release_expired()
        self.check_room(who)
        self._draw_for_audit()
        state = self._state
        document, source = state.next_document.choose(who, self._leases.busy(who))
        could_be_better = None if source != "ranked" else unfetched
        if could_be_better is not None and could_be_better.must_wait(state.validation, document):
            return None, FETCHING
        if document is None:
            return None, self._reason(who)
        return self.lease(document, who, source, expired), None

    def check_room(self, who: str) -> None:
        """Refuse a further document to a person who has many open."""
        if len(self._leases.of(who)) >= OPEN_AT_ONCE:
            raise ConflictError(Message("server.too_many_open", n=OPEN_AT_ONCE))

    def lease(
        self, document: int, who: str, source: Source, expired: Iterable[Lease] = ()
    ) -> Lease:
        """Lease a document to a person; expired leases on the same document end."""
        expires_at = later(self._state.project.settings.lease_seconds)
        shown = self._shown(document, source)
        lease = Lease(uuid4().hex, document, who, expires_at, shown, opened_at=now())
        self._journal.open(lease, [old.lease for old in expired if old.document == document])
        return lease

    def assign(self, held: Lease, who: str) -> Lease:
        """Give the document of a lease to another person, for the same reason as before."""
        self._leases.give_back(held)
        lease = self.lease(held.document, who, held.shown.source, [held])
        self._leases.assign(lease)
        return lease

    def _shown(self, document: int, source: Source) -> Shown:
        settings, validation = self._state.project.settings, self._state.validation
        if in_share(document, settings.blind, "blind", settings.seed):
            return Shown(source, validation.n_validated, is_blind=True)
        labels = suggest(validation, document).rounded()
        return Shown(source, validation.n_validated, False, labels.predicted, labels.missed)

    def must_draw(self) -> bool:
        """Whether a document must be drawn for the audit before the next one is given out."""
        return self._audit().is_due(self._state.validation.n_validated)

    def _draw_for_audit(self) -> None:
        """Draw an undecided document for the audit, if one is due."""
        if self.must_draw():
            state = self._state
            document = self._audit().draw(np.flatnonzero(state.validation.is_validated))
            if document is not None:
                self._journal.record(state.new_event("audit", events.AUDIT, document))

    def _audit(self) -> AuditSample:
        state, settings = self._state, self._state.project.settings
        return AuditSample(
            state.project.n_documents,
            settings.draw_seed,
            rate=settings.audit,
            drawn=state.record.drawn_for_audit,
        )

    def _reason(self, who: str) -> Message:
        """Say why there is no document for a person."""
        project, validation = self._state.project, self._state.validation
        if validation.n_validated == project.n_whole:
            return Message("server.all_checked", n=project.n_whole)
        if validation.n_validated == validation.n_documents:
            return Message("server.all_fetched_checked")
        mine = self._leases.of(who)
        if mine and self._leases.n_open() == len(mine):
            return Message("server.you_have_the_rest")
        return Message("server.others_have_the_rest")
