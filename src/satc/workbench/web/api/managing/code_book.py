"""Route for the code book of a project: upload another one."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, File, Form, HTTPException, UploadFile
from pydantic import BaseModel

from satc.code_book import CodeBook
from satc.errors import DataError
from satc.files.code_book import read_code_book
from satc.workbench.web.api.dependencies import CurrentManager, CurrentProject

router = APIRouter(prefix="/projects/{name}")
_ENDINGS = (".csv", ".tsv", ".xlsx", ".jsonl", ".json", ".parquet", ".txt")


class NewBook(BaseModel):
    """A code book that was stored, and its codes that are not classes of the project.

    With `needs_restart`, labels imply their parents, and the estimates use the new parents only
    after the server was restarted.
    """

    n_classes: int
    unused: list[str]
    needs_restart: bool


@router.put("/code-book")
def replace(
    user: CurrentManager,
    project: CurrentProject,
    classes: Annotated[
        UploadFile, File(description="Code book: code, name, definition, parent, key.")
    ],
    hierarchy: Annotated[
        Literal["/", ":", "."] | None,
        Form(description="Parents follow from the notation of the codes."),
    ] = None,
) -> NewBook:
    """Replace the code book; the classes stay, so the book must have their codes."""
    desk = project.desk
    unused = desk.replace_code_book(_read(classes, hierarchy))
    closed = desk.project.settings.closed
    return NewBook(n_classes=len(desk.project.classes), unused=list(unused), needs_restart=closed)


def _read(file: UploadFile, hierarchy: str | None) -> CodeBook:
    """Read an uploaded book; only the ending of the file's name is used."""
    ending = Path(file.filename or "").suffix.lower()
    if ending not in _ENDINGS:
        raise HTTPException(422, f"classes must be a file that ends in {', '.join(_ENDINGS)}")
    folder = Path(tempfile.mkdtemp(prefix="satc-"))
    try:
        path = folder / f"classes{ending}"
        with path.open("wb") as target:
            shutil.copyfileobj(file.file, target)
        return dataclasses.replace(read_code_book(path, hierarchy), source="the code book")
    except DataError as error:
        raise DataError(str(error).replace(f"{folder}/", "")) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
