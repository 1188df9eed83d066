"""Bodies of the project routes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Task = Literal["multi-label", "single-label"]


class ProjectLine(BaseModel):
    """A project in the list; the task is not known while it is inferred from the files."""

    name: str
    title: str
    task: Task | None = None
    state: Literal["ready", "creating", "failed"]
    n_documents: int
    n_classes: int
    n_validated: int | None
    error: str | None = None
    progress: str | None = None


class Projects(BaseModel):
    """All projects."""

    projects: list[ProjectLine]


class Sharing(BaseModel):
    """How people share the documents of a project, and which predictions are hidden."""

    lease_seconds: int
    overlap: float
    blind: float


class ProjectOut(Sharing):
    """The settings of a project."""

    name: str
    title: str
    guidelines: str
    task: Annotated[
        Task,
        Field(description="In a single-label project every decision has exactly one label."),
    ]
    measure: str
    average: str
    method: str
    labels_by: Literal["sign", "measure"]
    n_documents: int
    n_classes: int
    has_words: bool


class BookEntry(BaseModel):
    """An entry of the code book; its parents are positions in this list.

    `place` is its position in the file of the book: pages list classes in that order.
    """

    code: str
    name: str
    definition: str
    parents: list[int]
    key: str
    synonyms: list[str] = []
    place: int = 0


class Classes(BaseModel):
    """The classes: labels are their positions in this list.

    If the project has a code book, `classes` are codes, and the first entries of `book` are those
    of the classes, in the same order. Entries after these are no classes: they are only above some
    in the hierarchy. If the project is `closed`, a label implies all classes above it.
    """

    classes: list[str]
    book: list[BookEntry] | None = None
    closed: bool = False
