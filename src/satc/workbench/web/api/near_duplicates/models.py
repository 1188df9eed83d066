"""Bodies of the routes about near-duplicates."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from satc.workbench.web.api.models.common import RequestModel


class DecidedDocument(BaseModel):
    """The document that you decided on, with its labels."""

    index: int
    labels: list[int]


class TextPieceOut(BaseModel):
    """A part of a text: the same in both texts, only here, or only in the decided one."""

    kind: Literal["same", "added", "missing"]
    text: str


class NearDuplicate(BaseModel):
    """An undecided document that is nearly the same; `similarity` is Jaccard's."""

    index: int
    id: str
    similarity: float
    pieces: list[TextPieceOut]
    must_read: bool = Field(description="Whether its text must be shown before it is decided.")


class NearDuplicatesOut(BaseModel):
    """The documents nearly the same as one that you decided on; `of` is null if you did not."""

    of: DecidedDocument | None
    documents: list[NearDuplicate]
    ready: bool = Field(description="False while the documents are being compared.")


class SameAsIn(RequestModel):
    """The document whose labels are copied, and whether the text of this one was shown."""

    of: Annotated[int, Field(ge=0, lt=2**31)]
    read: bool
