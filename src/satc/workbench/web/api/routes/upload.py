"""Route for uploads: create a project from files."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, File, Form, HTTPException, UploadFile

from satc.files.formats.xlsx.positions import is_xlsx
from satc.texts.predictions_source import PredictionsSource
from satc.texts.scores_source import ScoresSource
from satc.texts.source import Source
from satc.texts.wanted_task import WantedTask
from satc.workbench.model.settings import Settings, default_decide
from satc.workbench.web.api.dependencies import CurrentManager, CurrentOpenProjects
from satc.workbench.web.api.models.common import StorableText
from satc.workbench.web.api.models.projects import ProjectLine, Task
from satc.workbench.web.api.routes.uploaded_book import BookFields
from satc.workbench.web.api.routes.uploaded_texts import LearnerFields

router = APIRouter()
_TABLES = (".csv", ".tsv", ".xlsx", ".jsonl", ".json", ".parquet")
_ENDINGS = (*_TABLES, ".npy", ".npz", ".txt", ".gz")
# Files that are sent together with one of others.
_WITH = {
    "known": ("predictions",),
    "oof_scores": ("scores", "predictions"),
    "train_labels": ("scores", "predictions"),
    "features": ("scores", "predictions"),
    "train_features": ("features",),
}


@dataclass(frozen=True)
class RankingFields:
    """The fields of the form that say how documents are ranked and how labels are decided on."""

    method: Annotated[str, Form(max_length=50)] = Settings.method
    measure: Annotated[str, Form(max_length=50)] = Settings.measure
    average: Annotated[str, Form(max_length=10)] = Settings.average
    decide: Annotated[
        str | None,
        Form(
            max_length=10,
            description="sign or measure; by default measure with train, sign with scores.",
        ),
    ] = None
    task: Annotated[
        Task | None,
        Form(
            description="By default, single-label if every training document has exactly one label."
        ),
    ] = None


@dataclass(frozen=True)
class PredictionFields:
    """Predictions that were made elsewhere, and what is known besides."""

    predictions: Annotated[
        UploadFile | None,
        File(description="Predictions of any kind: CSV, TSV, XLSX, JSON lines, Parquet or NumPy."),
    ] = None
    known: Annotated[
        UploadFile | None, File(description="Documents with true labels, beside predictions.")
    ] = None
    features: Annotated[
        UploadFile | None,
        File(description="Features of the documents, beside predictions or scores."),
    ] = None
    train_features: Annotated[
        UploadFile | None,
        File(description="Features of the documents with true labels, or of training documents."),
    ] = None
    kind: Annotated[
        Literal["scores", "probabilities", "logits", "labels", "votes"] | None,
        Form(description="What the predictions are; by default, it is found out."),
    ] = None
    threshold: Annotated[
        float | None,
        Form(gt=0, lt=1, description="Smallest probability that is a label; by default 0.5."),
    ] = None
    none_class: Annotated[
        StorableText | None,
        Form(min_length=1, max_length=200, description="Class of predictions without a label."),
    ] = None

    def files(self) -> dict[str, UploadFile | None]:
        """Return the files by their names."""
        return {
            "predictions": self.predictions,
            "known": self.known,
            "features": self.features,
            "train_features": self.train_features,
        }


@router.post("/projects", status_code=202)
def create_project(
    user: CurrentManager,
    open_projects: CurrentOpenProjects,
    documents: Annotated[UploadFile, File(description="CSV, TSV, XLSX, JSON lines or Parquet.")],
    name: Annotated[StorableText, Form(min_length=1, max_length=100)],
    ranking: Annotated[RankingFields, Depends()],
    predicted: Annotated[PredictionFields, Depends()],
    book: Annotated[BookFields, Depends()],
    learning: Annotated[LearnerFields, Depends()],
    train: Annotated[UploadFile | None, File(description="Labelled documents.")] = None,
    scores: Annotated[UploadFile | None, File()] = None,
    oof_scores: Annotated[UploadFile | None, File()] = None,
    train_labels: Annotated[UploadFile | None, File()] = None,
    sheet: Annotated[
        str | None,
        Form(
            min_length=1,
            max_length=31,
            pattern=r"^[^\[\]:*?/\\\x00-\x1f]+$",
            description="The sheet of all .xlsx files; needed if they have several.",
        ),
    ] = None,
    title: Annotated[StorableText, Form(max_length=500)] = "",
    guidelines: Annotated[StorableText, Form(max_length=100_000)] = "",
    overlap: Annotated[float, Form(ge=0, le=1)] = Settings.overlap,
    blind: Annotated[float, Form(ge=0, le=1)] = Settings.blind,
    audit: Annotated[float, Form(ge=0, le=1)] = Settings.audit,
) -> ProjectLine:
    """Create a project from uploaded files, in the background; the project list shows its progress.

    Send either labelled documents (`train`), on which a learner is trained, or the output of a
    classifier of your own: `scores` or `predictions` of any kind, with `oof_scores` and
    `train_labels`; or `predictions` with `known`, where true labels of some documents are known. If
    nothing is known, the project learns as people decide, and its accuracy rests on the random
    documents of the `audit`. A code book (`classes`) has names, definitions and parents of classes.
    """
    learning.check()
    uploads = {
        "documents": documents,
        "train": train,
        "scores": scores,
        "oof_scores": oof_scores,
        "train_labels": train_labels,
        **predicted.files(),
        "classes": book.classes,
    }
    book.check()
    _check_parts({part for part, file in uploads.items() if file is not None}, predicted)
    settings = Settings(
        title=title or name,
        guidelines=guidelines,
        task=ranking.task or Settings.task,
        method=ranking.method,
        measure=ranking.measure,
        average=ranking.average,
        decide=ranking.decide or default_decide(from_texts=train is not None),
        overlap=overlap,
        blind=blind,
        audit=audit,
        learner=learning.learner if train is not None else "",
        closed=book.closed,
    )
    folder = Path(tempfile.mkdtemp(prefix="satc-"))
    try:
        paths = {
            part: _in_sheet(_save(file, part, folder), sheet)
            for part, file in uploads.items()
            if file is not None
        }
        open_projects.create(
            name,
            settings,
            lambda: book.coded(_source(paths, learning, predicted, ranking.task), paths),
            paths["documents"],
            folder,
            infer_task=ranking.task is None,
            book=lambda: book.read(paths),
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


def _check_parts(sent: set[str], predicted: PredictionFields) -> None:
    """Refuse files that do not go together."""
    if len(sent & {"train", "scores", "predictions"}) != 1:
        raise HTTPException(422, "either train, scores or predictions must be sent")
    for part, others in _WITH.items():
        if part in sent and not sent & set(others):
            raise HTTPException(422, f"{part} must be sent together with {' or '.join(others)}")
    for name in ("kind", "threshold", "none_class"):
        if getattr(predicted, name) is not None and "predictions" not in sent:
            raise HTTPException(422, f"{name} must be sent together with predictions")
    _check_training(sent)


def _check_training(sent: set[str]) -> None:
    """Refuse a training side that is not complete, or that is there twice."""
    trained = "oof_scores" in sent
    if trained != ("train_labels" in sent):
        raise HTTPException(422, "oof_scores and train_labels must be sent together")
    if trained and "known" in sent:
        raise HTTPException(422, "known and oof_scores must not be sent together")
    if trained and ("features" in sent) != ("train_features" in sent):
        raise HTTPException(
            422, "features and train_features must be sent together, if there is a training side"
        )
    if "train_features" in sent and not sent & {"known", "oof_scores"}:
        raise HTTPException(422, "train_features must be sent together with known or oof_scores")


def _source(
    paths: dict[str, Path], learning: LearnerFields, predicted: PredictionFields, task: str | None
) -> Source:
    if "train" in paths:
        return learning.source(paths)
    features, train_features = paths.get("features"), paths.get("train_features")
    if "predictions" in paths:
        trained = "oof_scores" in paths
        return PredictionsSource(
            paths["predictions"],
            paths["documents"],
            predicted.kind,
            predicted.threshold,
            classes=paths.get("classes"),
            known=paths.get("known"),
            training=(paths["oof_scores"], paths["train_labels"]) if trained else None,
            features=features,
            train_features=train_features,
            wanted=WantedTask(task, predicted.none_class),
        )
    return ScoresSource(
        paths["documents"],
        paths["scores"],
        paths.get("oof_scores"),
        paths.get("train_labels"),
        features=features,
        train_features=train_features,
    )


def _save(file: UploadFile, part: str, folder: Path) -> Path:
    """Save an uploaded file; only a known ending of its name is used."""
    suffixes = [suffix.lower() for suffix in Path(file.filename or "").suffixes[-2:]]
    ending = "".join(suffix for suffix in suffixes if suffix in _ENDINGS)
    if not ending or ending == ".gz":
        raise HTTPException(422, f"{part} must be a file that ends in {', '.join(_ENDINGS)}")
    path = folder / f"{part}{ending}"
    with path.open("wb") as target:
        shutil.copyfileobj(file.file, target)
    return path


def _in_sheet(path: Path, sheet: str | None) -> Path:
    """Add the name of the sheet to the path of a workbook."""
    return path.with_name(f"{path.name}#{sheet}") if sheet and is_xlsx(path) else path
