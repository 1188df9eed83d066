"""Response bodies for assignments."""

from __future__ import annotations

from satc.workbench.review.desk import Desk
from satc.workbench.store.leases import Lease
from satc.workbench.web.api.models.assignments import Assignment, SuggestionOut
from satc.workbench.web.api.responses.documents import document_response


def assignment_response(
    desk: Desk, lease: Lease, decided: tuple[int, ...] | None = None
) -> Assignment:
    """Show a leased document; a second reader does not see the flag and note of the first."""
    second = lease.shown.is_second_opinion
    return Assignment(
        lease=lease.lease,
        expires=lease.expires_at,
        document=document_response(desk, lease.document),
        blind=lease.shown.is_blind,
        position=lease.shown.n_validated + 1,
        n_documents=desk.project.n_whole,
        predicted=[_suggestion(*one) for one in lease.shown.predicted],
        suggested=[_suggestion(*one) for one in lease.shown.suggested],
        flagged=lease.document in desk.record.flagged and not second,
        note="" if second else desk.record.notes.get(lease.document, ""),
        decided=None if decided is None else list(decided),
    )


def _suggestion(label: int, probability: float, contribution: float) -> SuggestionOut:
    return SuggestionOut(label=label, probability=probability, contribution=contribution)
