"""The code book of an uploaded project."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Form

from satc.code_book import CodeBook
from satc.files.code_book import read_code_book
from satc.texts.coded.completing import complete
from satc.texts.labelled import read_labelled
from satc.texts.learner_source import LearnerSource


@dataclass(frozen=True)
class BookFields:
    """The fields of the form for the hierarchy of the classes."""

    hierarchy: Annotated[
        Literal["/", ":", "."] | None,
        Form(description="Parents follow from the notation of the codes."),
    ] = None
    closed: Annotated[bool, Form(description="A label implies its parents.")] = False

    def check(self, given: Collection[str]) -> None:
        """Refuse closed labels without any parents."""
        if self.closed and self.hierarchy is None and "classes" not in given:
            raise ValueError("closed needs classes with the column 'parent', or hierarchy")

    def read(self, paths: dict[str, Path], classes: Sequence[str]) -> CodeBook | None:
        """Return the book that was sent, or that of the notation; None if there is none."""
        if (path := paths.get("classes")) is not None:
            return read_code_book(path, self.hierarchy)
        if self.hierarchy is None:
            return None
        return CodeBook.of_codes(classes).with_notation(self.hierarchy)

    def coded(self, source: LearnerSource, paths: dict[str, Path]) -> LearnerSource:
        """Check labelled documents against the book, and complete their labels if it is closed."""
        labelled = source.labelled or read_labelled(source)
        book = self.read(paths, labelled.documents.classes)
        if book is not None:
            book.check_has(labelled.documents.classes, source.train)
            if self.closed:
                labelled = complete(labelled, book).labelled
        return replace(source, labelled=labelled)
