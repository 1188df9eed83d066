"""Explains why a document is next: one sentence, and the contribution of each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from satc.ranking.ranking import Contribution
from satc.workbench.review.desk import Desk

N_CLASSES = 10
_N_CAUSES = 3
_LEAST_CHANGE = 0.005
_PROBABLY = 0.5  # a doubt of at least this size is called probable
_FROM_PREDICTIONS = "Too few documents are checked yet, so this follows from the predictions alone."
# The features of `satc.calibration.contextual.description`, as the page names them.
_FEATURE_NAMES = {
    "score": "score",
    "logit": "calibrated score",
    "rank": "rank of the class in this document",
    "best other logit": "probability of the best other class",
    "gap to best other logit": "distance to the best other class",
    "positive decisions elsewhere": "number of other predicted labels",
    "expected other labels": "expected number of other labels",
    "log prior": "frequency of the class",
    "label co-occurrence": "labels that often occur together",
    "neighbour votes": "labels of similar documents",
    "gap to best other votes": "other labels of similar documents",
    "nearest similarity": "similarity of the nearest document",
    "log length": "length of the document",
    "mean score of the document": "mean score of the document",
    "errors on neighbours": "errors on similar documents",
    "centroid similarity": "similarity to the class",
    "gap to best other centroid": "similarity to other classes",
}


class Cause(NamedTuple):
    """A feature of the context, and by how much it changed the probability."""

    what: str
    by: float


@dataclass(frozen=True)
class ExplainedClass:
    """The contribution of one class to the utility of checking a document.

    `before` is the probability by the score alone; `moved_by` lists what changed it.
    """

    label: int
    decision: bool
    probability: float
    p_error: float
    gain: float
    contribution: float
    before: float | None
    moved_by: tuple[Cause, ...]


def explain(desk: Desk, document: int) -> tuple[str, list[ExplainedClass]]:
    """Return a sentence that explains the rank of a document, and the classes that matter most.

    In a single-label project the sentence names the predicted class and the most probable other
    one, and the classes come in the order of their probabilities.
    """
    with desk.locked():
        contributions, standing = desk.validation.explain(document), desk.validation.standing
    is_single = desk.project.settings.is_single_label
    chosen = _alternatives(contributions) if is_single else _in_doubt(contributions)
    classes = [_explain_class(one) for one in chosen]
    sentence = _sentence(desk, classes)
    if classes and standing is not None and not standing.n_decisions:
        sentence = f"{sentence} {_FROM_PREDICTIONS}"
    return sentence, classes


def _in_doubt(contributions: list[Contribution]) -> list[Contribution]:
    """Return the classes with the largest contributions to the utility."""
    return [one for one in contributions[:N_CLASSES] if one.contribution > 0]


def _alternatives(contributions: list[Contribution]) -> list[Contribution]:
    """Return the predicted class, then the others, the most probable first; none if it is sure."""
    ordered = sorted(contributions, key=lambda one: (not one.decision, -one.error_probability))
    possible = [one for one in ordered[:N_CLASSES] if one.decision or one.error_probability > 0]
    return possible if len(possible) > 1 else []


def _explain_class(one: Contribution) -> ExplainedClass:
    p_error = one.error_probability
    return ExplainedClass(
        one.class_index,
        one.decision,
        1.0 - p_error if one.decision else p_error,
        p_error,
        one.gain,
        one.contribution,
        None if one.context is None else one.context.before,
        _causes(one),
    )


def _causes(one: Contribution) -> tuple[Cause, ...]:
    """Return the features of the context that changed the probability most."""
    if one.context is None:
        return ()
    largest = sorted(one.context.moved_by.items(), key=lambda item: -abs(item[1]))[:_N_CAUSES]
    return tuple(
        Cause(_FEATURE_NAMES.get(what, what), by) for what, by in largest if abs(by) > _LEAST_CHANGE
    )


def _sentence(desk: Desk, classes: list[ExplainedClass]) -> str:
    if not classes:
        return "No label of this document is expected to be wrong."
    settings, names = desk.project.settings, desk.project.classes
    doubt = _doubt_of_one if settings.is_single_label else _doubt
    return (
        f"Checking this document should raise {settings.measure_name} most: "
        f"{doubt(classes, names)}."
    )


def _doubt(classes: list[ExplainedClass], names: Sequence[str]) -> str:
    """Say which label is most worth a check: it is wrong, or it is missing."""
    one = classes[0]
    how = "is probably" if one.p_error >= _PROBABLY else "may be"
    what = "wrong" if one.decision else "missing"
    return f"“{names[one.label]}” {how} {what} ({one.p_error:.0%})"


def _doubt_of_one(classes: list[ExplainedClass], names: Sequence[str]) -> str:
    """Say which other class the document may have, in place of the predicted one."""
    predicted, other = (
        f"“{names[one.label]}” ({_percent(one.probability)})" for one in classes[:2]
    )
    how = "is probably" if classes[1].probability >= _PROBABLY else "may be"
    return f"it {how} {other}, not {predicted}"


def _percent(probability: float) -> str:
    """Return a percentage; a probability is never rounded to 0% or 100%.

    >>> _percent(0.002), _percent(0.62), _percent(0.998)
    ('<1%', '62%', '>99%')
    """
    rounded = f"{probability:.0%}"
    return {"0%": "<1%", "100%": ">99%"}.get(rounded, rounded)


def as_dict(explained: ExplainedClass) -> dict[str, Any]:
    """Return the fields of the API's model `ClassExplained`."""
    values = dict(vars(explained))
    values["moved_by"] = [cause._asdict() for cause in explained.moved_by]
    return values
