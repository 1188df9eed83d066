"""The classes that matter most for the rank of a document, and what changed their probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from satc.calibration.contextual.description import OPINION_NAMES
from satc.ranking.ranking import Contribution

N_CLASSES = 10
_N_CAUSES = 3
_LEAST_CHANGE = 0.005
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
_OPINION_FEATURES = ("opinion “{}”", "opinion “{}” on other classes")


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


def explain_classes(contributions: list[Contribution], *, is_single: bool) -> list[ExplainedClass]:
    """Return the classes that matter most, as the page shows them."""
    chosen = _alternatives(contributions) if is_single else _in_doubt(contributions)
    return [_explain_class(one) for one in chosen]


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
    return tuple(Cause(feature_name(what), by) for what, by in largest if abs(by) > _LEAST_CHANGE)


def feature_name(what: str) -> str:
    """Return the name of a feature on the page; a feature of an opinion has the opinion's name.

    >>> feature_name("neighbour votes"), feature_name("logit of embeddings")
    ('labels of similar documents', 'opinion “embeddings”')
    """
    if what in _FEATURE_NAMES:
        return _FEATURE_NAMES[what]
    for title, readable in zip(OPINION_NAMES, _OPINION_FEATURES, strict=True):
        if what.startswith(beginning := title.format("")):
            return readable.format(what.removeprefix(beginning))
    return what


def as_dict(explained: ExplainedClass) -> dict[str, Any]:
    """Return the fields of the API's model `ClassExplained`."""
    values = dict(vars(explained))
    values["moved_by"] = [cause._asdict() for cause in explained.moved_by]
    return values
