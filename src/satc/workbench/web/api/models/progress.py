"""Bodies of the progress routes: the status of a project, and the plan."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class Estimate(BaseModel):
    """A value with its 95% interval."""

    value: float
    low: float
    high: float


class AccuracyOut(BaseModel):
    """The estimated accuracy of the labels of all documents now."""

    measure: str
    average: str
    macro: Estimate
    micro: Estimate


class CurvePoint(BaseModel):
    """The estimate when n documents were validated."""

    n: int
    macro: float
    macro_low: float
    macro_high: float
    micro: float
    micro_low: float
    micro_high: float


class Person(BaseModel):
    """How many decisions a person has made."""

    name: str
    n_decided: int


class HeadlineOut(BaseModel):
    """The strongest statement about the project that holds, and what to do.

    Statements of the same `kind` differ in their numbers only.
    """

    level: Literal["good", "info", "warning"]
    kind: str
    text: str


class AuditOut(BaseModel):
    """The documents drawn at random: all, those that are decided, and those that are not.

    A certificate counts the draws before the first one that is not decided: `n_counted`.
    """

    n_drawn: int
    n_decided: int
    n_undecided: int
    n_counted: int


class Status(BaseModel):
    """The progress of a project.

    `accuracy_unknown` says why there is no estimate of accuracy; `standing` says what the
    probabilities rest on, where no label was known at first. About `documents_left` more documents
    reach the `target`; null if that is not known. `audit` is null if no documents are drawn.
    `messages` are technical problems.
    """

    headline: HeadlineOut
    target: float
    documents_left: int | None
    audit: AuditOut | None

    n_documents: int
    n_validated: int
    n_open: int
    n_flagged: int
    n_corrected: int
    mine: int
    seconds_per_document: float | None
    accuracy: AccuracyOut | None
    accuracy_unknown: str | None
    standing: str | None
    curve: list[CurvePoint]
    people: list[Person]
    messages: list[str]


class Ahead(BaseModel):
    """The accuracy expected when n documents are validated."""

    n: int
    value: float
    low: float
    high: float


class Bought(BaseModel):
    """How far some hours of work go."""

    documents: int
    accuracy: Estimate


class PlanOut(BaseModel):
    """The work left until a target; hours and cost are null until decisions were timed."""

    target: float
    probability: float
    measure: str
    average: str
    documents: int
    hours: float | None
    cost: float | None
    bought: Bought | None
    curve: list[Ahead]
