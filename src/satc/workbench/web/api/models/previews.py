"""Bodies of the preview of a file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from satc.workbench.web.api.models.projects import Task


class Format(BaseModel):
    """The format of a file; `separator` and `encoding` are those of a CSV file."""

    kind: Literal["csv", "xlsx", "jsonl", "json", "parquet", "matrix", ""]
    separator: str
    encoding: str
    sheets: list[str]


class ColumnMapping(BaseModel):
    """Which columns hold ids, texts and labels; null where there is none.

    `columns` are the names in `label_columns`, or in `labels_column` if it names several.
    """

    id_column: str | None
    text_column: str | None
    labels_column: str | None
    label_columns: str | None
    separator: str
    columns: list[str]
    kind: Annotated[
        str | None, Field(description="The kind of predictions, if columns of labels tell it.")
    ] = None


class ClassCount(BaseModel):
    """A class, and how many documents have it."""

    name: str
    n: int


class Understood(BaseModel):
    """What a file is understood to hold.

    If `complete` is false, the file was not read to its end, and the counts are those of the part
    that was read. `n_labels` are the numbers of documents with 0, 1, 2, ... labels.
    """

    n_documents: int
    complete: bool
    n_classes: int
    classes: Annotated[list[ClassCount], Field(description="The most frequent ones.")]
    n_labels: dict[int, int]
    task: Task | None
    kind: Annotated[str, Field(description="The kind of predictions, if it is known.")]
    faults: Annotated[list[str], Field(description="Rows that cannot be used, or what is wrong.")]


class Preview(BaseModel):
    """A look into a file; `token` names it when the project is created."""

    token: str
    name: str
    n_bytes: int
    format: Format
    sheet: str | None
    columns: list[str]
    n_columns: int
    rows: Annotated[list[list[str]], Field(description="The first rows, with short cells.")]
    guess: ColumnMapping
    mapping: Annotated[ColumnMapping, Field(description="The columns as they were read.")]
    understood: Understood | None
    error: Annotated[str | None, Field(description="Why the file cannot be read.")]
