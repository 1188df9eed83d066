"""Route for previews: look into a file before a project is created from it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, HTTPException, Path, UploadFile
from fastapi.concurrency import run_in_threadpool

from satc.workbench.review.aside import call_in_process
from satc.workbench.web.api.dependencies import CurrentKeptFiles, CurrentManager
from satc.workbench.web.api.kept_files import KeptFile, KeptFiles
from satc.workbench.web.api.long_work import CurrentLongWork
from satc.workbench.web.api.models.common import Nothing
from satc.workbench.web.api.models.previews import Preview
from satc.workbench.web.api.responses.previews import preview_response
from satc.workbench.web.api.routes.upload.preview_fields import MappingFields

router = APIRouter()
_LONGEST_NAME = 200
_SHORT = 256 << 10  # bytes of a file that is read in a moment
Token = Annotated[str | None, Form(max_length=100, description="A file that was sent before.")]


@router.post("/preview")
async def preview(
    user: CurrentManager,
    kept: CurrentKeptFiles,
    long_work: CurrentLongWork,
    fields: Annotated[MappingFields, Depends()],
    file: Annotated[UploadFile | None, File(description="A file, to be sent once.")] = None,
    token: Token = None,
) -> Preview:
    """Say what a file holds, and keep it for the creation of a project.

    Send the file, and later its token with the columns as they are to be read. Columns are guessed
    first. The file is read to its end if this takes a few seconds at most.
    """
    found = await run_in_threadpool(_file, user.name, kept, file, token)
    if found.n_bytes <= _SHORT:
        return await run_in_threadpool(preview_response, found, fields)
    return await long_work.run(call_in_process, preview_response, found, fields)


@router.delete("/preview/{token}")
def forget(
    user: CurrentManager,
    kept: CurrentKeptFiles,
    token: Annotated[str, Path(min_length=1, max_length=100, description="Token of the file.")],
) -> Nothing:
    """Delete a file that was sent to the preview."""
    kept.forget(user.name, [token])
    return Nothing()


def _file(owner: str, kept: KeptFiles, file: UploadFile | None, token: str | None) -> KeptFile:
    if token:
        return kept.get(owner, token)
    if file is None:
        raise HTTPException(422, "either file or token must be sent")
    try:
        return kept.keep(owner, _storable(file.filename or ""), file.file)
    except ValueError as error:
        raise HTTPException(422, str(error)) from None


def _storable(name: str) -> str:
    """Return the end of a file name, without control characters and halves of surrogate pairs."""
    clean = name.encode("utf-8", "replace").decode("utf-8")
    return "".join(sign for sign in clean if sign.isprintable())[-_LONGEST_NAME:]
