"""Route for exports: download all documents with their labels."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from satc.files.exchange import FORMATS, PLUGINS, format_of
from satc.workbench.reports.results import export_file
from satc.workbench.review.aside import answer_aside
from satc.workbench.store import Store
from satc.workbench.store.projects import Project
from satc.workbench.web.api.dependencies import CurrentManager, CurrentProject
from satc.workbench.web.api.long_work import CurrentLongWork

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
async def export(
    user: CurrentManager,
    project: CurrentProject,
    long_work: CurrentLongWork,
    format: Annotated[  # noqa: A002
        str,
        Query(description=f"One of {', '.join(DOWNLOADS)}, or the format of an installed plugin."),
    ] = "csv",
) -> Any:
    """Download all documents with their present labels."""
    if format not in DOWNLOADS and format not in PLUGINS.names():
        known = ", ".join(downloads())
        raise HTTPException(422, f"format must be one of {known}, but is {format!r}")
    desk = project.desk
    path = await long_work.run(_exported, desk.store, desk.project, format)
    return FileResponse(
        path,
        media_type=format_of(path, format).media_type,
        filename=f"{desk.project.name}{path.suffix}",
        background=BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True),
    )


def downloads() -> tuple[str, ...]:
    """Return the formats that can be downloaded, with those of installed packages."""
    return (*DOWNLOADS, *PLUGINS.names())


def _exported(store: Store, project: Project, form: str) -> Path:
    """Write a file into a new folder, beside the server if the project is large."""
    folder = Path(tempfile.mkdtemp(prefix="satc-"))
    try:
        path = folder / f"export{format_of(folder, form).suffix}"
        answer_aside(store, project, export_file, path, form)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return path
