"""What goes over the wire."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not hold NUL characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be text, without half a surrogate pair") from None
    return text


Plain = Annotated[str, AfterValidator(_storable)]
Label = Annotated[int, Field(ge=0, lt=2**31)]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class DecisionIn(_In):
    """The labels that a person decides on."""

    labels: Annotated[list[Label], Field(max_length=100_000)]
    seconds: Annotated[
        float | None, Field(ge=0, le=1e6, description="How long it took, if known.")
    ] = None


class LabelsIn(_In):
    """Other labels for a document."""

    labels: Annotated[list[Label], Field(max_length=100_000)]


class FlagIn(_In):
    """Whether somebody should look at a document."""

    flagged: bool


class NoteIn(_In):
    """A note on a document; an empty one removes it."""

    note: Annotated[Plain, Field(max_length=10_000)]


class Problem(BaseModel):
    """What is wrong, in one sentence."""

    detail: str


class Nothing(BaseModel):
    """Done, with nothing more to say."""


class Me(BaseModel):
    """Who is asking."""

    name: str
    role: str
    csrf_token: str
    single_user: bool


class ProjectLine(BaseModel):
    """A project in the list."""

    name: str
    title: str
    state: Literal["ready", "creating", "failed"]
    n_documents: int
    n_classes: int
    n_validated: int | None
    error: str | None = None
    progress: str | None = None


class Projects(BaseModel):
    """All projects."""

    projects: list[ProjectLine]


class ProjectOut(BaseModel):
    """What a project was set to."""

    name: str
    title: str
    guidelines: str
    measure: str
    average: str
    method: str
    n_documents: int
    n_classes: int
    lease_seconds: int
    overlap: float
    blind: float
    has_words: bool


class Classes(BaseModel):
    """The names of the classes; a class's number is its place in this list."""

    classes: list[str]


class DocumentOut(BaseModel):
    """A document as it came."""

    index: int
    id: str
    text: str
    columns: dict[str, Any]


class SuggestionOut(BaseModel):
    """A class, how likely the document belongs to it, and what a check is worth."""

    model_config = ConfigDict(serialize_by_alias=True, populate_by_name=True)

    label: Annotated[int, Field(alias="class")]
    probability: float
    contribution: float


class Assignment(BaseModel):
    """A document that is yours to decide on."""

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
    """The documents that you have open."""

    assignments: list[Assignment]


class Next(BaseModel):
    """The next document, or why there is none."""

    assignment: Assignment | None
    reason: str | None
    again: float | None = Field(description="Seconds after which to ask again; else null.")


class Undone(BaseModel):
    """What was taken back: its document is open again, unless somebody's decision still stands."""

    document: int
    assignment: Assignment | None


class Saved(BaseModel):
    """A decision is saved."""

    decision: int
    n_validated: int


class Renewed(BaseModel):
    """A document stays yours until then."""

    expires: str


class DocumentLine(BaseModel):
    """How a document begins."""

    index: int
    id: str
    snippet: str


class DecisionLine(BaseModel):
    """A decision that stands."""

    decision: int
    document: DocumentLine
    labels: list[int]
    predicted: list[int] | None
    who: str
    when: str
    flagged: bool
    note: str


class Decisions(BaseModel):
    """Decisions, the last one first."""

    decisions: list[DecisionLine]


class DocumentState(BaseModel):
    """A document with its labels at this moment."""

    document: DocumentOut
    labels: list[int]
    predicted: list[int] | None
    source: Literal["human", "automatic"]
    who: str | None
    when: str | None
    flagged: bool
    note: str


class MovedBy(BaseModel):
    """Something in the context, and by how much it moved the probability."""

    what: str
    by: float


class ClassExplained(BaseModel):
    """What one class adds to the worth of checking a document."""

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
    """Why a document stands where it does."""

    sentence: str
    classes: list[ClassExplained]


class MarkOut(BaseModel):
    """A word of the text; weights above 0 speak for the class. Offsets count code points."""

    start: int
    end: int
    weight: float


class Marks(BaseModel):
    """Words that speak for or against a class."""

    words: list[MarkOut]


class Estimate(BaseModel):
    """A value with its 95% interval."""

    value: float
    low: float
    high: float


class AccuracyOut(BaseModel):
    """How good the labels of the whole set are now, as far as the model knows."""

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
    """What one person has done."""

    name: str
    n_decided: int


class Status(BaseModel):
    """How far the work is."""

    n_documents: int
    n_validated: int
    n_open: int
    n_flagged: int
    n_corrected: int
    mine: int
    seconds_per_document: float | None
    accuracy: AccuracyOut | None
    curve: list[CurvePoint]
    people: list[Person]
    messages: list[str]


class Ahead(BaseModel):
    """The estimate expected when n documents will be validated."""

    n: int
    value: float
    low: float
    high: float


class Bought(BaseModel):
    """What some hours of work buy."""

    documents: int
    accuracy: Estimate


class PlanOut(BaseModel):
    """How much work is left; hours and cost are known once decisions have been timed."""

    target: float
    probability: float
    measure: str
    average: str
    documents: int
    hours: float | None
    cost: float | None
    bought: Bought | None
    curve: list[Ahead]
