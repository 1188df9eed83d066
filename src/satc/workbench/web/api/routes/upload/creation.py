"""Route for uploads: create a project from files."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException

from satc.workbench.model.new_project.source_parts import check_method, check_parts
from satc.workbench.model.settings import Settings
from satc.workbench.review.open_projects import OpenProjects
from satc.workbench.store.people.members import MANAGER, grant
from satc.workbench.store.people.users import find_user
from satc.workbench.web.api.dependencies import (
    CurrentKeptFiles,
    CurrentManager,
    CurrentOpenProjects,
)
from satc.workbench.web.api.kept_files import KeptFiles
from satc.workbench.web.api.models.common import StorableText
from satc.workbench.web.api.models.projects import ProjectLine
from satc.workbench.web.api.routes.upload.book_fields import BookFields
from satc.workbench.web.api.routes.upload.column_fields import ColumnFields
from satc.workbench.web.api.routes.upload.files import FileFields
from satc.workbench.web.api.routes.upload.learner_fields import LearnerFields
from satc.workbench.web.api.routes.upload.prediction_fields import PredictionFields
from satc.workbench.web.api.routes.upload.ranking_fields import RankingFields
from satc.workbench.web.api.routes.upload.sources import SourceFields, UploadedFiles
from satc.workbench.web.api.routes.upload.work_fields import WorkFields

router = APIRouter()


@router.post("/projects", status_code=202)
def create_project(
    user: CurrentManager,
    open_projects: CurrentOpenProjects,
    kept: CurrentKeptFiles,
    name: Annotated[StorableText, Form(min_length=1, max_length=100)],
    files: Annotated[FileFields, Depends()],
    columns: Annotated[ColumnFields, Depends()],
    ranking: Annotated[RankingFields, Depends()],
    predicted: Annotated[PredictionFields, Depends()],
    book: Annotated[BookFields, Depends()],
    learning: Annotated[LearnerFields, Depends()],
    work: Annotated[WorkFields, Depends()],
) -> ProjectLine:
    """Create a project from uploaded files, in the background; the project list shows its progress.

    Send either labelled documents (`train`), on which a learner is trained, or the output of a
    classifier of your own: `scores` or `predictions` of any kind, with `oof_scores` and
    `train_labels`; or `predictions` with `known`, where true labels of some documents are known. If
    nothing is known, the project learns as people decide, and its accuracy rests on the random
    documents of the `audit`. A code book (`classes`) has names, definitions and parents of classes.
    Files that were sent to the preview are named by their tokens in `kept`.
    """
    learning.check()
    given = files.given()
    _check(given, predicted, learning, book, ranking.method)
    settings = Settings(
        **work.settings(name),
        **ranking.settings(from_texts="train" in given),
        learner=learning.made_by(given) if "train" in given else "",
        closed=book.closed,
        id_column=columns.id_column,
        text_column=columns.text_column,
    )
    ranking.wanted(), columns.of_documents(), predicted.read_threshold()
    reading = SourceFields(columns, learning, predicted, ranking, book, work.seed)
    folder = Path(tempfile.mkdtemp(prefix="satc-"))
    try:
        paths = files.save(folder, user.name, kept, columns)
        open_projects.create(
            name,
            settings,
            UploadedFiles(reading, paths, folder),
            folder,
            infer_task=ranking.task is None,
            done=lambda: _complete(open_projects, kept, user.name, name, files),
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return ProjectLine(
        name=name,
        title=settings.title,
        task=ranking.task,
        state="creating",
        n_documents=0,
        n_classes=0,
        n_validated=None,
    )


def _complete(
    open_projects: OpenProjects, kept: KeptFiles, user: str, name: str, files: FileFields
) -> None:
    """Make the creator a member of the project, and delete the files."""
    if find_user(open_projects.store, user) is not None:  # else a single person, by a link
        grant(open_projects.store, user, name, MANAGER)
    kept.forget(user, files.tokens().values())


def _check(
    given: set[str],
    predicted: PredictionFields,
    learning: LearnerFields,
    book: BookFields,
    method: str,
) -> None:
    """Refuse files and fields that do not go together, as `satc create` does."""
    if "documents" not in given:
        raise HTTPException(422, "documents must be sent")
    try:
        check_parts(given | predicted.given() | learning.given(), str)
        book.check(given)
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    check_method(method, given, str)
