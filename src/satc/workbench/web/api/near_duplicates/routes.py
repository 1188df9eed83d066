"""Routes for near-duplicates of a document that was just decided."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException
from fastapi.concurrency import run_in_threadpool

from satc.workbench.review.near_duplicates.offers import (
    Offer,
    compare,
    decide_compared,
    offers_after,
)
from satc.workbench.web.api.dependencies import CurrentProject, CurrentUser, DocumentIndex
from satc.workbench.web.api.models.decisions import Saved
from satc.workbench.web.api.near_duplicates.models import (
    DecidedDocument,
    NearDuplicate,
    NearDuplicatesOut,
    SameAsIn,
    TextPieceOut,
)
from satc.workbench.web.api.queued import queued
from satc.workbench.web.api.responses.decisions import saved_response

router = APIRouter(prefix="/projects/{name}/documents/{index}")


@router.get("/duplicates")
def duplicates(
    user: CurrentUser, project: CurrentProject, index: DocumentIndex
) -> NearDuplicatesOut:
    """List the undecided documents that are nearly the same as one that you decided on."""
    desk, known = project.desk, project.near_duplicates
    known.start()  # if documents were added since it was made
    decision, offers = offers_after(desk, known, index, user.name)
    of = None if decision is None else DecidedDocument(index=index, labels=list(decision.labels))
    documents = [_near_duplicate(one) for one in offers]
    return NearDuplicatesOut(of=of, documents=documents, ready=known.is_ready)


@router.post("/same-as")
async def same_as(
    user: CurrentUser, project: CurrentProject, index: DocumentIndex, sent: SameAsIn
) -> Saved:
    """Decide on a document as you did on one that is nearly the same."""
    desk = project.desk
    if sent.of >= desk.project.n_documents:
        raise HTTPException(422, f"of must be a document, but there is no document {sent.of}")
    compared = await run_in_threadpool(compare, desk, index, sent.of)
    number = await queued(
        desk, decide_compared, desk, index, sent.of, user.name, compared, is_read=sent.read
    )
    current = desk.record.current_decision(index)
    return saved_response(desk, number, [] if current is None else list(current.labels))


def _near_duplicate(offer: Offer) -> NearDuplicate:
    return NearDuplicate(
        index=offer.document,
        id=offer.id,
        similarity=offer.similarity,
        pieces=[TextPieceOut(kind=one.kind, text=one.text) for one in offer.pieces],
        must_read=offer.must_read,
    )
