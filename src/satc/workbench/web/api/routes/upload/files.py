"""The files of an upload: sent with the request, or kept on the server since their preview."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import File, Form, HTTPException, UploadFile

from satc.workbench.web.api.kept_files import COPIED_AT_ONCE, KeptFiles, checked_ending
from satc.workbench.web.api.routes.upload.column_fields import ColumnFields, json_object


@dataclass(frozen=True)
class FileFields:
    """The files that a project is made from, by the names that the options of `satc create` have.

    `kept` has the tokens of files that were sent to the preview before.
    """

    documents: Annotated[
        UploadFile | None, File(description="CSV, TSV, XLSX, JSON lines or Parquet.")
    ] = None
    train: Annotated[UploadFile | None, File(description="Labelled documents.")] = None
    scores: Annotated[UploadFile | None, File()] = None
    oof_scores: Annotated[UploadFile | None, File()] = None
    train_labels: Annotated[UploadFile | None, File()] = None
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
    embeddings: Annotated[
        UploadFile | None, File(description="Vectors of the documents, beside train.")
    ] = None
    train_embeddings: Annotated[
        UploadFile | None, File(description="Vectors of the labelled documents.")
    ] = None
    opinion: Annotated[
        UploadFile | None, File(description="A further opinion: predictions of the documents.")
    ] = None
    classes: Annotated[
        UploadFile | None,
        File(description="Code book: code, name, definition, parent, key; or names of classes."),
    ] = None
    class_weights: Annotated[
        UploadFile | None, File(description="JSON file with the weight of each class, by name.")
    ] = None
    kept: Annotated[
        str | None,
        Form(
            max_length=4_000,
            description='Tokens of files that were previewed, as in {"documents": "..."}.',
        ),
    ] = None

    def sent(self) -> dict[str, UploadFile]:
        """Return the files that came with the request."""
        return {part: file for part, file in vars(self).items() if part != "kept" and file}

    def tokens(self) -> dict[str, str]:
        """Return the tokens of the files that are on the server, by part."""
        found = json_object(self.kept, "kept")
        if unknown := next((part for part in found if part not in vars(self)), None):
            raise HTTPException(422, f"kept must name files of a project, but has {unknown!r:.80}")
        return found

    def given(self) -> set[str]:
        """Return the parts that are there, by either way."""
        return {*self.sent(), *self.tokens()}

    def save(
        self, folder: Path, owner: str, kept: KeptFiles, columns: ColumnFields
    ) -> dict[str, Path]:
        """Put all files into a folder; return their paths, with sheets, by part."""
        paths = {part: _save(file, part, folder) for part, file in self.sent().items()}
        for part, token in self.tokens().items():
            ending = checked_ending(kept.get(owner, token).path.name, part)
            paths[part] = kept.link(owner, token, folder / f"{part}{ending}")
        return {part: columns.in_sheet(part, path) for part, path in paths.items()}


def _save(file: UploadFile, part: str, folder: Path) -> Path:
    """Save an uploaded file; only a known ending of its name is used."""
    try:
        path = folder / f"{part}{checked_ending(file.filename or '', part)}"
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    with path.open("wb") as target:
        shutil.copyfileobj(file.file, target, COPIED_AT_ONCE)
    return path
