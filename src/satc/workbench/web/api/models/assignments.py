"""Bodies of the assignment routes: documents leased to a user."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satc.workbench.web.api.models.documents import DocumentOut


class SuggestionOut(BaseModel):
    """A class, the probability that the document belongs to it, and its share of the utility."""

    model_config = ConfigDict(serialize_by_alias=True, populate_by_name=True)

    label: Annotated[int, Field(alias="class")]
    probability: float
    contribution: float


class Assignment(BaseModel):
    """A document that is leased to you."""

    lease: str
    expires: str
    document: DocumentOut
    blind: bool
    position: int
    n_documents: int
    predicted: list[SuggestionOut]
    suggested: list[SuggestionOut]
    flagged: bool
    note: str
    decided: list[int] | None = None


class Assignments(BaseModel):
    """The documents that are leased to you."""

    assignments: list[Assignment]


class Next(BaseModel):
    """The next document, or the reason why there is none."""

    assignment: Assignment | None
    reason: str | None
    again: float | None = Field(
        description="If not null, more documents are being fetched: ask again after these seconds."
    )


class Renewed(BaseModel):
    """The new end of a lease."""

    expires: str


class Undone(BaseModel):
    """An undone decision; its document is leased to you again unless another decision stands."""

    document: int
    assignment: Assignment | None
