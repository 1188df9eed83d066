"""Routes for assignments: lease the next document, decide on it, skip it, undo.

They are asynchronous so that actions reach the project's writer in the order in which they arrive,
and nobody holds a thread while the disk is waited for. What reads the store, to show a document,
runs in a thread.
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool

from satc.workbench.review.desk import Desk
from satc.workbench.review.dispatch import FETCHING
from satc.workbench.store.leases import Lease
from satc.workbench.web.api.checks import check_labels
from satc.workbench.web.api.dependencies import (
    CurrentMessages,
    CurrentProject,
    CurrentUser,
    LeaseId,
)
from satc.workbench.web.api.models.assignments import (
    Assignment,
    Assignments,
    Next,
    Renewed,
    Undone,
)
from satc.workbench.web.api.models.common import Nothing
from satc.workbench.web.api.models.decisions import DecisionIn, Saved
from satc.workbench.web.api.queued import queued
from satc.workbench.web.api.responses.assignments import assignment_response, undone_response
from satc.workbench.web.api.responses.decisions import saved_response

router = APIRouter(prefix="/projects/{name}")
_RETRY_SECONDS = 1.0  # while more documents are being fetched


@router.get("/assignments")
def assignments(user: CurrentUser, project: CurrentProject) -> Assignments:
    """List the documents that are leased to you, the oldest lease first."""
    desk = project.desk
    with desk.reading():
        leases = desk.leases.of(user.name)
        desk.leases.mark_seen(leases)
    return Assignments(assignments=[assignment_response(desk, lease) for lease in leases])


@router.post("/next")
async def next_document(user: CurrentUser, project: CurrentProject, say: CurrentMessages) -> Next:
    """Lease the most useful document to you."""
    desk = project.desk
    lease, reason = await queued(desk, desk.next, user.name)
    assignment = None if lease is None else await _assignment(desk, lease)
    again = _RETRY_SECONDS if reason == FETCHING else None
    said = None if reason is None else say(reason)
    return Next(assignment=assignment, reason=said, again=again)


async def _assignment(desk: Desk, lease: Lease) -> Assignment:
    """Show a leased document, which is usually in memory; else a thread reads it."""
    if (stored := desk.leased_documents.find(lease.document)) is not None:
        return assignment_response(desk, lease, stored=stored)
    return await run_in_threadpool(assignment_response, desk, lease)


@router.post("/leases/{lease}/decision")
async def submit(
    user: CurrentUser, project: CurrentProject, lease: LeaseId, sent: DecisionIn
) -> Saved:
    """Save your decision on a document that is leased to you."""
    desk = project.desk
    labels = check_labels(desk, sent.labels)
    number = await queued(desk, desk.submit, lease, user.name, labels, sent.seconds)
    return saved_response(desk, number, labels)


@router.post("/leases/{lease}/skip")
async def skip(user: CurrentUser, project: CurrentProject, lease: LeaseId) -> Nothing:
    """Skip a document: it comes back later."""
    await queued(project.desk, project.desk.skip, lease, user.name)
    return Nothing()


@router.post("/leases/{lease}/renew")
async def renew(user: CurrentUser, project: CurrentProject, lease: LeaseId) -> Renewed:
    """Extend a lease."""
    longer = await queued(project.desk, project.desk.renew, lease, user.name)
    return Renewed(expires=longer.expires_at)


@router.delete("/leases/{lease}")
async def give_back(user: CurrentUser, project: CurrentProject, lease: LeaseId) -> Nothing:
    """Return a document without a decision: your own, or anybody's if you are a manager."""
    desk = project.desk
    if user.is_manager:
        await queued(desk, desk.release, lease)
    else:
        await queued(desk, desk.give_back, lease, user.name)
    return Nothing()


@router.post("/undo")
async def undo(user: CurrentUser, project: CurrentProject, say: CurrentMessages) -> Undone:
    """Undo the last thing that you did: a decision, a skip, a flag or a note."""
    undone = await queued(project.desk, project.desk.undo, user.name)
    return await run_in_threadpool(undone_response, project.desk, undone, say)
