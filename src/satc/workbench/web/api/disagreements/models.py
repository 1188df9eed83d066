"""Bodies of the routes about disagreements and agreement."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from satc.workbench.web.api.models.common import Label, RequestModel
from satc.workbench.web.api.models.documents import DocumentOut

Number = Annotated[int, Field(ge=0, lt=2**63)]


class Answer(BaseModel):
    """The labels that one person gave; `decision` is the number of their decision."""

    decision: int
    who: str
    when: str
    labels: list[int]


class DisagreementOut(BaseModel):
    """Two different answers on a document; the labels of `first` are in force."""

    document: DocumentOut
    first: Answer
    second: Answer
    worth: float
    own: bool = Field(description="Whether you gave one of the answers.")
    flagged: bool
    note: str


class Disagreements(BaseModel):
    """The disagreements that you may settle, the most useful first."""

    n_yours: int = Field(description="How many you may settle; the list may be shorter.")
    n_open: int = Field(description="How many there are, also those that you may not settle.")
    n_settled: int
    disagreements: list[DisagreementOut]


class SettleIn(RequestModel):
    """The right labels, and the numbers of the two decisions that were compared."""

    labels: Annotated[list[Label], Field(max_length=100_000)]
    first: Number
    second: Number


class ClassAgreementOut(BaseModel):
    """The agreement on a class; `alpha` is Krippendorff's, null if it is not defined."""

    model_config = ConfigDict(serialize_by_alias=True, populate_by_name=True)

    label: Annotated[int, Field(alias="class")]
    both: int
    one: int
    alpha: float | None


class DriftOut(BaseModel):
    """The agreement of a person with the others, before and recently."""

    verdict: Literal["too-few", "same", "less", "more"]
    before: int
    before_same: int
    recent: int
    recent_same: int
    shares: list[float]


class PersonAgreementOut(BaseModel):
    """The agreement of a person with the others; `kappa` is Cohen's, null if not defined."""

    who: str
    documents: int
    same: int
    kappa: float | None
    settled: int
    right: int
    drift: DriftOut


class AgreementOut(BaseModel):
    """The agreement on the documents that two people have read."""

    documents: int
    same: int
    classes: list[ClassAgreementOut]
    people: list[PersonAgreementOut]
