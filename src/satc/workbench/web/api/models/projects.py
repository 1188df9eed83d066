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


class Classes(BaseModel):
    """The names of the classes; the number of a class is its position in this list."""

    classes: list[str]
