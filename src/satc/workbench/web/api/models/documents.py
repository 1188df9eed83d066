"""Bodies of the document routes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from satc.workbench.web.api.models.common import RequestModel, StorableText


class FlagIn(RequestModel):
    """Whether a document is flagged, so that somebody looks at it."""

    flagged: bool


class NoteIn(RequestModel):
    """A note on a document; an empty text removes it."""

    note: Annotated[StorableText, Field(max_length=10_000)]


class DocumentOut(BaseModel):
    """A document as it was imported."""

    index: int
    id: str
    text: str
    columns: dict[str, Any]


class DocumentLine(BaseModel):
    """The beginning of a document."""

    index: int
    id: str
    snippet: str


class DocumentState(BaseModel):
    """A document with its present labels."""

    document: DocumentOut
    labels: list[int]
    predicted: list[int] | None
    source: Literal["human", "automatic"]
    who: str | None
    when: str | None
    flagged: bool
    note: str
