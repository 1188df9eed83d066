"""Bodies of the assignment routes: documents leased to a user."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from satc.workbench.web.api.models.documents import DocumentOut

ActionKind = Literal["decide", "second", "revise", "skip", "flag", "unflag", "note"]


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
    second: bool = Field(description="Whether somebody else has read this document before you.")
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
    """The action that was undone.

    If it was a decision or a skip, its document is leased to you again, unless somebody else has it
    open or another decision is in force. `message` says what was undone.
    """

    kind: ActionKind
    document: int
    assignment: Assignment | None
    flagged: bool
    note: str
    message: str
