"""Routes for documents: read one, flag it, write a note."""

from __future__ import annotations

from fastapi import APIRouter

from satc.workbench.web.api.dependencies import CurrentProject, CurrentUser, DocumentIndex
from satc.workbench.web.api.models.common import Nothing
from satc.workbench.web.api.models.documents import DocumentState, FlagIn, NoteIn
from satc.workbench.web.api.responses.documents import document_state

router = APIRouter(prefix="/projects/{name}/documents/{index}")


@router.get("")
def document(user: CurrentUser, project: CurrentProject, index: DocumentIndex) -> DocumentState:
    """Return a document with its present labels."""
    return document_state(project.desk, index, user.name)


@router.put("/flag")
def flag(user: CurrentUser, project: CurrentProject, index: DocumentIndex, sent: FlagIn) -> Nothing:
    """Flag a document so that somebody looks at it, or remove the flag."""
    project.desk.flag(index, user.name, sent.flagged)
    return Nothing()


@router.put("/note")
def note(user: CurrentUser, project: CurrentProject, index: DocumentIndex, sent: NoteIn) -> Nothing:
    """Write a note on a document."""
    project.desk.note(index, user.name, sent.note)
    return Nothing()
