"""Bodies of the explanation routes: why a document is next, and which words matter."""

from __future__ import annotations

from typing import Annotated, Literal

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


class OpinionOut(BaseModel):
    """The labels that an opinion gives to a document."""

    who: str = Field(description="The name of the opinion.")
    says: list[int] = Field(description="Numbers of classes.")


class SimilarOut(BaseModel):
    """A labelled document that is similar: a training document, or one that people decided on."""

    id: str = Field(description='"" where it is not known.')
    text: str = Field(description='The beginning of the text, "" where it is not known.')
    labels: list[int]
    similarity: float = Field(description="The cosine of the features, at most 1.")


class Explanation(BaseModel):
    """Why you have a document, and what is known about it."""

    source: Literal["ranked", "audit", "second", "chosen"] = Field(
        description=(
            "Why you have the document: it is the most useful one, it was drawn at random, it is "
            "for a second reading, or you opened it yourself."
        )
    )
    sentence: str
    classes: list[ClassExplained]
    classifier_says: list[int] = Field(
        description="The classifier's own labels, before labels are chosen for the measure."
    )
    opinions: list[OpinionOut] = Field(
        description="What others say, without those who do not know the document."
    )
    disagreement: str = Field(
        description='Where opinions differ from the classifier; "" if they do not.'
    )
    similar: list[SimilarOut] = Field(description="The most similar document first.")


class MarkOut(BaseModel):
    """A marked word: a positive weight is for the class. Offsets count Unicode code points."""

    start: int
    end: int
    weight: float


class Marks(BaseModel):
    """The words of a document that are for or against a class."""

    words: list[MarkOut]
