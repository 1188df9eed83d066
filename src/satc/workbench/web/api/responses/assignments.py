"""Response bodies for assignments."""

from __future__ import annotations

from typing import cast

from satc.workbench.messages import Messages
from satc.workbench.review.desk import Desk
from satc.workbench.review.undo import Undone
from satc.workbench.store.documents import StoredDocument
from satc.workbench.store.leases import Lease
from satc.workbench.web.api.models.assignments import ActionKind, Assignment, SuggestionOut
from satc.workbench.web.api.models.assignments import Undone as UndoneOut
from satc.workbench.web.api.responses.documents import document_response


def assignment_response(
    desk: Desk,
    lease: Lease,
    decided: tuple[int, ...] | None = None,
    stored: StoredDocument | None = None,
) -> Assignment:
    """Show a leased document; a second reader does not see the flag and note of the first.

    Its position counts the documents that are checked now, not when it was leased: a page that
    is loaded again shows the same number. The document is read unless it is given as `stored`.
    """
    second = lease.shown.is_second_opinion
    return Assignment(
        lease=lease.lease,
        expires=lease.expires_at,
        document=document_response(desk, lease.document, stored),
        blind=lease.shown.is_blind,
        second=second,
        position=min(desk.validation.n_validated + 1, desk.project.n_whole),
        n_documents=desk.project.n_whole,
        predicted=[_suggestion(*one) for one in lease.shown.predicted],
        suggested=[_suggestion(*one) for one in lease.shown.suggested],
        flagged=lease.document in desk.record.flagged and not second,
        note="" if second else desk.record.notes.get(lease.document, ""),
        decided=None if decided is None else list(decided),
    )


def undone_response(desk: Desk, undone: Undone, say: Messages) -> UndoneOut:
    """Show what was undone; a second reader does not see the flag and note of the first."""
    action, lease = undone.action, undone.lease
    document, hidden = action.document, desk.leases.is_second_reader(action.who, action.document)
    return UndoneOut(
        kind=cast(ActionKind, action.kind),
        document=document,
        assignment=None if lease is None else assignment_response(desk, lease, action.labels),
        flagged=document in desk.record.flagged and not hidden,
        note="" if hidden else desk.record.notes.get(document, ""),
        message=say(undone.message),
    )


def _suggestion(label: int, probability: float, contribution: float) -> SuggestionOut:
    return SuggestionOut(label=label, probability=probability, contribution=contribution)
