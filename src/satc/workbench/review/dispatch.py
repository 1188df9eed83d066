"""Give people their next document: choose it, lease it, and note what is shown beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol
from uuid import uuid4

import numpy as np

from satc.assurance.certificate.audit import AuditSample
from satc.validation import Validation
from satc.workbench.model import events
from satc.workbench.model.clock import later
from satc.workbench.model.sampling import in_share
from satc.workbench.model.shown import Shown, Source
from satc.workbench.review.journal import Journal
from satc.workbench.review.leases import ConflictError, OpenLeases
from satc.workbench.review.state import ProjectState
from satc.workbench.review.suggestions import suggest
from satc.workbench.store.leases import Lease

OPEN_AT_ONCE = 10  # documents that one person may have open
FETCHING = "More documents are being fetched: the next one comes in a moment."


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
    ) -> tuple[Lease | None, str | None]:
        """Lease one more document to a person; or return None and the reason."""
        expired = self._leases.release_expired()
        if len(self._leases.of(who)) >= OPEN_AT_ONCE:
            raise ConflictError(
                f"you have {OPEN_AT_ONCE} documents open: decide on one, or give it back"
            )
        self._draw_for_audit()
        state = self._state
        document, source = state.next_document.choose(who, self._leases.busy(who))
        could_be_better = None if source != "ranked" else unfetched
        if could_be_better is not None and could_be_better.must_wait(state.validation, document):
            return None, FETCHING
        if document is None:
            return None, self._reason(who)
        return self.lease(document, who, source, expired), None

    def lease(
        self, document: int, who: str, source: Source, expired: Iterable[Lease] = ()
    ) -> Lease:
        """Lease a document to a person; expired leases on the same document end."""
        expires_at = later(self._state.project.settings.lease_seconds)
        lease = Lease(uuid4().hex, document, who, expires_at, self._shown(document, source))
        self._journal.open(lease, [old.lease for old in expired if old.document == document])
        return lease

    def _shown(self, document: int, source: Source) -> Shown:
        settings, validation = self._state.project.settings, self._state.validation
        if in_share(document, settings.blind, "blind", settings.seed):
            return Shown(source, validation.n_validated, is_blind=True)
        labels = suggest(validation, document).rounded()
        return Shown(source, validation.n_validated, False, labels.predicted, labels.missed)

    def _draw_for_audit(self) -> None:
        """Draw an undecided document for the audit, if one is due."""
        state, settings = self._state, self._state.project.settings
        audit = AuditSample(
            state.project.n_documents,
            settings.seed,
            rate=settings.audit,
            drawn=state.record.drawn_for_audit,
        )
        if audit.is_due(state.validation.n_validated):
            document = audit.draw(np.flatnonzero(state.validation.is_validated))
            if document is not None:
                self._journal.record(state.new_event("audit", events.AUDIT, document))

    def _reason(self, who: str) -> str:
        """Say why there is no document for a person."""
        project, validation = self._state.project, self._state.validation
        if validation.n_validated == project.n_whole:
            return f"All {project.n_whole:,} documents are checked."
        if validation.n_validated == validation.n_documents:
            return "All documents that were fetched are checked, and no more can be fetched now."
        mine = self._leases.of(who)
        if mine and self._leases.n_open() == len(mine):
            return "You have all remaining documents open."
        return "Other people have the remaining documents open: come back later."
