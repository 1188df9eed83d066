"""Bodies of the route for the table of documents."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from satc.workbench.review.documents.filters import Filters
from satc.workbench.review.documents.rows import DocumentMarks

Sorting = Literal[
    "rank", "-rank", "position", "-position", "id", "-id", "when", "-when", "length", "-length"
]


class TableQuery(Filters):
    """The filters, the search and the order of the table, and the page that is wanted."""

    q: str = Field("", max_length=500, description="Words in the id or the text.")
    sort: Sorting = Field("rank", description="A minus sorts in descending order.")
    page: int = Field(1, ge=1, le=1_000_000)


class ExcerptPiece(BaseModel):
    """A part of an excerpt, and whether it matches the search."""

    text: str
    match: bool


class OpinionLine(BaseModel):
    """The second opinion of a person."""

    who: str
    labels: list[int]


class DocumentRowOut(DocumentMarks):
    """A row of the table."""

    index: int
    id: str
    excerpt: list[ExcerptPiece] = Field(
        description="The beginning of the text, or the part of it around the first match."
    )
    predicted: list[int] | None = Field(description="Predicted labels; null if they are hidden.")
    is_decided: bool
    hidden: bool = Field(
        description="Whether the decision is hidden, because you may give a second opinion."
    )
    labels: list[int] | None = Field(description="The labels that people decided on, if any.")
    who: str | None
    when: str | None
    opinions: list[OpinionLine] = Field(description="Second opinions.")


class DocumentTableOut(BaseModel):
    """One page of the documents that pass all filters."""

    documents: list[DocumentRowOut]
    total: int = Field(description="How many documents pass the filters.")
    page: int
    n_pages: int
    people: list[str] = Field(description="The people who have decided on any document.")
