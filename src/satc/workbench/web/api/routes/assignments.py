"""Routes for assignments: lease the next document, decide on it, skip it, undo.

`next_document` and `submit` are asynchronous so that they run in the order in which they arrive.
The desk does one thing at a time, and requests that wait for it in threads could overtake each
other.
"""

from __future__ import annotations

from fastapi import APIRouter

from satc.workbench.review.dispatch import FETCHING
from satc.workbench.web.api.checks import check_labels
from satc.workbench.web.api.dependencies import CurrentProject, CurrentUser, LeaseId
from satc.workbench.web.api.models.assignments import Assignments, Next, Renewed, Undone
from satc.workbench.web.api.models.common import Nothing
from satc.workbench.web.api.models.decisions import DecisionIn, Saved
from satc.workbench.web.api.responses.assignments import assignment_response
from satc.workbench.web.api.responses.decisions import saved_response

router = APIRouter(prefix="/projects/{name}")
_RETRY_SECONDS = 1.0  # while more documents are being fetched


@router.get("/assignments")
def assignments(user: CurrentUser, project: CurrentProject) -> Assignments:
    """List the documents that are leased to you, the oldest lease first."""
    desk = project.desk
    with desk.locked():
        leases = desk.leases.of(user.name)
    return Assignments(assignments=[assignment_response(desk, lease) for lease in leases])


@router.post("/next")
async def next_document(user: CurrentUser, project: CurrentProject) -> Next:
    """Lease the most useful document to you."""
    lease, reason = project.desk.next(user.name)
    assignment = None if lease is None else assignment_response(project.desk, lease)
    again = _RETRY_SECONDS if reason == FETCHING else None
    return Next(assignment=assignment, reason=reason, again=again)


@router.post("/leases/{lease}/decision")
async def submit(
    user: CurrentUser, project: CurrentProject, lease: LeaseId, sent: DecisionIn
) -> Saved:
    """Save your decision on a document that is leased to you."""
    desk = project.desk
    labels = check_labels(desk, sent.labels)
    number = desk.submit(lease, user.name, labels, sent.seconds)
    return saved_response(desk, number, labels)


@router.post("/leases/{lease}/skip")
def skip(user: CurrentUser, project: CurrentProject, lease: LeaseId) -> Nothing:
    """Skip a document: it comes back later."""
    project.desk.skip(lease, user.name)
    return Nothing()


@router.post("/leases/{lease}/renew")
def renew(user: CurrentUser, project: CurrentProject, lease: LeaseId) -> Renewed:
    """Extend a lease."""
    return Renewed(expires=project.desk.renew(lease, user.name).expires_at)


@router.delete("/leases/{lease}")
def give_back(user: CurrentUser, project: CurrentProject, lease: LeaseId) -> Nothing:
    """Return a document without a decision."""
    project.desk.give_back(lease, user.name)
    return Nothing()


@router.post("/undo")
def undo(user: CurrentUser, project: CurrentProject) -> Undone:
    """Undo your last decision; its document is leased to you again."""
    undone, lease = project.desk.undo(user.name)
    assignment = None if lease is None else assignment_response(project.desk, lease, undone.labels)
    return Undone(document=undone.document, assignment=assignment)
