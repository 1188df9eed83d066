"""Route for exports: download all documents with their labels."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from satc.files.exchange import FORMATS, write
from satc.workbench.project.history import read_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.web.api.dependencies import CurrentManager, CurrentProject

router = APIRouter()
DOWNLOADS = tuple(name for name in FORMATS if name != "hugging-face")  # that one is a folder


@router.get(
    "/projects/{name}/export",
    response_class=FileResponse,
    responses={
        200: {
            "description": "The file.",
            "content": {FORMATS[name].media_type: {} for name in DOWNLOADS},
        }
    },
)
def export(
    user: CurrentManager,
    project: CurrentProject,
    format: Annotated[str, Query(description=f"One of {', '.join(DOWNLOADS)}.")] = "csv",  # noqa: A002
) -> Any:
    """Download all documents with their present labels."""
    if format not in DOWNLOADS:
        raise HTTPException(422, f"format must be one of {', '.join(DOWNLOADS)}, but is {format!r}")
    desk = project.desk
    folder = Path(tempfile.mkdtemp(prefix="satc-"))
    path = folder / f"export{FORMATS[format].suffix}"
    try:
        history = read_history(desk.store, desk.project)
        exported = exported_documents(desk.store, desk.project, history)
        task = desk.project.settings.task
        write(exported, path, format, classes=desk.project.classes, task=task)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        path,
        media_type=FORMATS[format].media_type,
        filename=f"{desk.project.name}{FORMATS[format].suffix}",
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )
