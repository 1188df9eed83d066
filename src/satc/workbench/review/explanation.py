"""Why a document is next, in a sentence and in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from satc.ranking.ranking import Contribution
from satc.workbench.review.desk import Desk

N_CLASSES = 10
_N_REASONS = 3
_LEAST_MOVE = 0.005
# What the values of `satc.calibration.contextual.description` are to a person.
_IN_WORDS = {
    "score": "the classifier's score",
    "logit": "the score, for this class",
    "rank": "the place of the class among all of the document's",
    "best other logit": "the strongest other class",
    "gap to best other logit": "the lead over the strongest other class",
    "positive decisions elsewhere": "how many other labels it got",
    "expected other labels": "how many other labels it is likely to have",
    "log prior": "how frequent the class is",
    "label co-occurrence": "labels that usually go together",
    "neighbour votes": "the labels of similar documents",
    "gap to best other votes": "what similar documents say of other classes",
    "nearest similarity": "how similar the most similar document is",
    "log length": "the length of the document",
    "mean score of the document": "how the document scores over all classes",
    "errors on neighbours": "errors made on similar documents",
    "centroid similarity": "how typical it is of the class",
    "gap to best other centroid": "how typical it is of other classes",
}


class Reason(NamedTuple):
    """Something in the context, and by how much it moved the probability."""

    what: str
    by: float


@dataclass(frozen=True)
class ExplainedClass:
    """What one class adds to the worth of checking a document."""

    label: int
    decision: bool
    probability: float
    p_error: float
    gain: float
    contribution: float
    before: float | None
    moved_by: tuple[Reason, ...]


def explain(desk: Desk, document: int) -> tuple[str, list[ExplainedClass]]:
    """Say why a document stands where it does: a sentence, and what each class contributes."""
    with desk.locked():
        contributions = desk.validation.explain(document)
    total = sum(one.contribution for one in contributions)
    classes = [_explained(one) for one in contributions[:N_CLASSES] if one.contribution > 0]
    return _sentence(desk, classes, total), classes


def _explained(one: Contribution) -> ExplainedClass:
    wrong = one.error_probability
    context = one.context
    moved: tuple[Reason, ...] = ()
    if context is not None:
        by_size = sorted(context.moved_by.items(), key=lambda item: -abs(item[1]))
        moved = tuple(
            Reason(_IN_WORDS.get(what, what), by)
            for what, by in by_size[:_N_REASONS]
            if abs(by) > _LEAST_MOVE
        )
    return ExplainedClass(
        one.class_index,
        one.decision,
        1.0 - wrong if one.decision else wrong,
        wrong,
        one.gain,
        one.contribution,
        None if context is None else context.before,
        moved,
    )


def _sentence(desk: Desk, classes: list[ExplainedClass], total: float) -> str:
    settings = desk.project.settings
    if not classes:
        return "Nothing in this document is expected to be wrong."
    first = classes[0]
    name = desk.project.classes[first.label]
    doubt = (
        f"it may not belong to “{name}” ({first.p_error:.0%} likely wrong)"
        if first.decision
        else f"it may belong to “{name}” as well ({first.probability:.0%} likely)"
    )
    share = f", which is {first.contribution / total:.0%} of its worth" if total > 0 else ""
    return (
        f"Checking this document is expected to raise {settings.average}-"
        f"{settings.measure.upper()} most because {doubt}{share}."
    )


def as_dict(explained: ExplainedClass) -> dict[str, Any]:
    """Return it in the names of the API."""
    values = dict(vars(explained))
    values["moved_by"] = [reason._asdict() for reason in explained.moved_by]
    return values
