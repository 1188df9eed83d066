"""The code book of an uploaded project."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from fastapi import File, Form, HTTPException, UploadFile

from satc.code_book import CodeBook
from satc.files.code_book import read_code_book
from satc.texts.coded.completing import complete
from satc.texts.labelled import read_labelled
from satc.texts.learner_source import LearnerSource
from satc.texts.source import Source


@dataclass(frozen=True)
class BookFields:
    """The fields of the form for the code book."""

    classes: Annotated[
        UploadFile | None,
        File(description="Code book: code, name, definition, parent, key; or names of classes."),
    ] = None
    hierarchy: Annotated[
        Literal["/", ":", "."] | None,
        Form(description="Parents follow from the notation of the codes in `classes`."),
    ] = None
    closed: Annotated[bool, Form(description="A label implies its parents in `classes`.")] = False

    def check(self) -> None:
        """Refuse a hierarchy without a code book."""
        for name in ("hierarchy", "closed"):
            if getattr(self, name) and self.classes is None:
                raise HTTPException(422, f"{name} must be sent together with classes")

    def read(self, paths: dict[str, Path]) -> CodeBook | None:
        """Read the book that was sent; None if there is none."""
        path = paths.get("classes")
        return None if path is None else read_code_book(path, self.hierarchy)

    def coded(self, source: Source, paths: dict[str, Path]) -> Source:
        """Check labelled documents against the book, and complete their labels if it is closed."""
        book = self.read(paths)
        if book is None or not isinstance(source, LearnerSource):
            return source
        labelled = read_labelled(source)
        book.check_has(labelled.documents.classes, source.train)
        if self.closed:
            labelled = complete(labelled, book).labelled
        return replace(source, labelled=labelled)
