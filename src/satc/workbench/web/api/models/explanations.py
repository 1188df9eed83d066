"""Bodies of the explanation routes: why a document is next, and which words matter."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class MovedBy(BaseModel):
    """A feature of the context, and by how much it changed the probability."""

    what: str
    by: float


class ClassExplained(BaseModel):
    """The contribution of one class to the utility of a document."""

    model_config = ConfigDict(serialize_by_alias=True, populate_by_name=True)

    label: Annotated[int, Field(alias="class")]
    decision: bool
    probability: float
    p_error: float
    gain: float
    contribution: float
    before: float | None
    moved_by: list[MovedBy]


class Explanation(BaseModel):
    """Why a document has its place in the ranking."""

    sentence: str
    classes: list[ClassExplained]


class MarkOut(BaseModel):
    """A marked word: a positive weight is for the class. Offsets count Unicode code points."""

    start: int
    end: int
    weight: float


class Marks(BaseModel):
    """The words of a document that are for or against a class."""

    words: list[MarkOut]
