"""Routes for documents: read one, lease it, flag it, write a note."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool

from satc.workbench.web.api.dependencies import CurrentProject, CurrentUser, DocumentIndex
from satc.workbench.web.api.models.assignments import Assignment
from satc.workbench.web.api.models.common import Nothing
from satc.workbench.web.api.models.documents import DocumentState, FlagIn, NoteIn
from satc.workbench.web.api.queued import queued
from satc.workbench.web.api.responses.assignments import assignment_response
from satc.workbench.web.api.responses.documents import document_state

router = APIRouter(prefix="/projects/{name}/documents/{index}")


@router.get("")
def document(user: CurrentUser, project: CurrentProject, index: DocumentIndex) -> DocumentState:
    """Return a document with its present labels."""
    return document_state(project.desk, index, user.name)


@router.post("/lease")
async def lease(user: CurrentUser, project: CurrentProject, index: DocumentIndex) -> Assignment:
    """Lease a document that you choose to you, if nobody has decided on it or has it open."""
    opened = await queued(project.desk, project.desk.open_chosen, index, user.name)
    return await run_in_threadpool(assignment_response, project.desk, opened)


@router.put("/flag")
async def flag(
    user: CurrentUser, project: CurrentProject, index: DocumentIndex, sent: FlagIn
) -> Nothing:
    """Flag a document so that somebody looks at it, or remove the flag."""
    await queued(project.desk, project.desk.flag, index, user.name, sent.flagged)
    return Nothing()


@router.put("/note")
async def note(
    user: CurrentUser, project: CurrentProject, index: DocumentIndex, sent: NoteIn
) -> Nothing:
    """Write a note on a document."""
    await queued(project.desk, project.desk.note, index, user.name, sent.note)
    return Nothing()
