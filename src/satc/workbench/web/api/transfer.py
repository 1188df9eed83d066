"""Whole projects over the wire: uploads that become projects, and exports."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, Depends, File, Form, HTTPException, Query, UploadFile
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from satc.files.exchange import FORMATS, write
from satc.learners.presets import LEARNERS
from satc.texts.sources import LearnerSource, ScoresSource, Source
from satc.workbench.model.settings import Settings
from satc.workbench.project.history import read_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.review.open_projects import Desks
from satc.workbench.web.api import models
from satc.workbench.web.api.guards import InProject, Manager, desks_of
from satc.workbench.web.api.routes import PROBLEMS

router = APIRouter(prefix="/api/v1", responses=PROBLEMS)
_ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet", ".npy", ".npz", ".gz")
DOWNLOADS = tuple(name for name in FORMATS if name != "hugging-face")  # that one is a folder


@router.post("/projects", status_code=202)
def create_project(
    who: Manager,
    desks: Annotated[Desks, Depends(desks_of)],
    documents: Annotated[UploadFile, File(description="CSV, TSV, JSON lines or Parquet.")],
    name: Annotated[models.Plain, Form(min_length=1, max_length=100)],
    train: Annotated[UploadFile | None, File(description="Labelled documents.")] = None,
    scores: Annotated[UploadFile | None, File()] = None,
    oof_scores: Annotated[UploadFile | None, File()] = None,
    train_labels: Annotated[UploadFile | None, File()] = None,
    learner: Annotated[str, Form(max_length=20)] = "svm",
    title: Annotated[models.Plain, Form(max_length=500)] = "",
    guidelines: Annotated[models.Plain, Form(max_length=100_000)] = "",
    method: Annotated[str, Form(max_length=50)] = "contextual-dynamic",
    measure: Annotated[str, Form(max_length=50)] = "f1",
    average: Annotated[str, Form(max_length=10)] = "macro",
    overlap: Annotated[float, Form(ge=0, le=1)] = 0.0,
    blind: Annotated[float, Form(ge=0, le=1)] = 0.0,
) -> models.ProjectLine:
    """Make a project from uploaded files, in the background; the list of projects says how far.

    Labelled documents (`train`) are what a learner is trained on; `scores`, with `oof_scores` and
    `train_labels`, are those of a classifier of your own.
    """
    if learner not in LEARNERS:  # a module's name from outside would run its code
        known = ", ".join(sorted(LEARNERS))
        raise HTTPException(422, f"learner must be one of {known}, but is {learner!r}")
    if (train is None) == (scores is None):
        raise HTTPException(422, "either train or scores must be sent")
    settings = Settings(
        title=title or name,
        guidelines=guidelines,
        method=method,
        measure=measure,
        average=average,
        overlap=overlap,
        blind=blind,
        learner=learner if train is not None else "",
    )
    folder = Path(tempfile.mkdtemp(prefix="satc-"))
    try:
        at = {
            part: _kept(file, part, folder)
            for part, file in {
                "documents": documents,
                "train": train,
                "scores": scores,
                "oof_scores": oof_scores,
                "train_labels": train_labels,
            }.items()
            if file is not None
        }
        desks.start(name, settings, lambda: _source(at, learner), at["documents"], folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return models.ProjectLine(
        name=name,
        title=settings.title,
        state="creating",
        n_documents=0,
        n_classes=0,
        n_validated=None,
    )


def _source(at: dict[str, Path], learner: str) -> Source:
    if "train" in at:
        return LearnerSource(at["train"], at["documents"], learner)
    return ScoresSource(at["documents"], at["scores"], at.get("oof_scores"), at.get("train_labels"))


def _kept(file: UploadFile, part: str, folder: Path) -> Path:
    """Save an upload; of its name, only a known ending is used."""
    suffixes = [suffix.lower() for suffix in Path(file.filename or "").suffixes[-2:]]
    ending = "".join(suffix for suffix in suffixes if suffix in _ENDINGS)
    if not ending or ending == ".gz":
        raise HTTPException(422, f"{part} must be a file that ends in {', '.join(_ENDINGS)}")
    path = folder / f"{part}{ending}"
    with path.open("wb") as target:
        source: BinaryIO = file.file
        shutil.copyfileobj(source, target)
    return path


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
    who: Manager,
    opened: InProject,
    format: Annotated[str, Query(description=f"One of {', '.join(DOWNLOADS)}.")] = "csv",  # noqa: A002
) -> Any:
    """Download all documents with their labels at this moment."""
    if format not in DOWNLOADS:
        raise HTTPException(422, f"format must be one of {', '.join(DOWNLOADS)}, but is {format!r}")
    folder = Path(tempfile.mkdtemp(prefix="satc-"))
    desk = opened.desk
    path = folder / f"export{FORMATS[format].suffix}"
    try:
        history = read_history(desk.store, desk.project)
        exported = exported_documents(desk.store, desk.project, history)
        write(exported, path, format, classes=desk.project.classes)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        path,
        media_type=FORMATS[format].media_type,
        filename=f"{desk.project.name}{FORMATS[format].suffix}",
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )
