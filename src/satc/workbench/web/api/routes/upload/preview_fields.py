"""The fields of a preview: which file, what it is for, and how its columns are mapped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Form

from satc.files.preview.guess import Guess
from satc.workbench.web.api.models.common import StorableText
from satc.workbench.web.api.models.projects import Task
from satc.workbench.web.api.routes.upload.prediction_fields import Kind

Part = Literal["documents", "train", "predictions", "known", "classes", "other"]
Column = Annotated[StorableText | None, Form(max_length=500)]


@dataclass(frozen=True)
class MappingFields:
    """The columns as a person has mapped them; without `mapped`, the guess is used."""

    part: Annotated[Part, Form(description="What the file is for.")] = "documents"
    mapped: Annotated[bool, Form(description="Whether the columns below are to be used.")] = False
    id_column: Column = None
    text_column: Column = None
    labels_column: Annotated[StorableText | None, Form(max_length=20_000)] = None
    label_columns: Annotated[StorableText | None, Form(max_length=200_000)] = None
    separator: Annotated[StorableText, Form(min_length=1, max_length=10)] = "|"
    sheet: Annotated[StorableText | None, Form(max_length=31)] = None
    kind: Kind | None = None
    task: Task | None = None

    def mapping(self, guess: Guess) -> Guess:
        """Return the columns to read."""
        if not self.mapped:
            return guess
        return Guess(
            self.id_column or None,
            self.text_column or None,
            self.labels_column or None,
            self.label_columns or None,
            self.separator,
        )
