"""Bodies of the decision routes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from satc.workbench.web.api.models.common import Label, RequestModel
from satc.workbench.web.api.models.documents import DocumentLine

Labels = Annotated[
    list[Label],
    Field(
        max_length=100_000,
        description="Numbers of classes; exactly one in a single-label project.",
    ),
]


class DecisionIn(RequestModel):
    """The labels that a user gives to a leased document."""

    labels: Labels
    seconds: Annotated[
        float | None, Field(ge=0, le=1e6, description="Time that the decision took, if known.")
    ] = None


class LabelsIn(RequestModel):
    """New labels for a document that has been decided."""

    labels: Labels


class Saved(BaseModel):
    """The number of the saved decision, and how many documents are validated now.

    `implied` are the labels that were added, because those that were sent imply them.
    """

    decision: int
    n_validated: int
    implied: list[int] = []


class DecisionLine(BaseModel):
    """A decision that is in force."""

    decision: int
    document: DocumentLine
    labels: list[int]
    predicted: list[int] | None
    who: str
    when: str
    flagged: bool
    note: str


class Decisions(BaseModel):
    """Decisions, the latest first."""

    decisions: list[DecisionLine]
