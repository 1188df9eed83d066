"""The classes that matter most for the rank of a document, and what changed their probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from satc.calibration.contextual.description import OPINION_NAMES
from satc.ranking.ranking import Contribution
from satc.workbench.messages import Message, Messages

N_CLASSES = 10
LEAST_DOUBT = 0.01  # a class that is less doubtful is no reason
_N_CAUSES = 3
_LEAST_CHANGE = 0.005
# The features of `satc.calibration.contextual.description`, by the keys of their names.
_FEATURES = {
    "score": "server.feature_score",
    "logit": "server.feature_logit",
    "rank": "server.feature_rank",
    "best other logit": "server.feature_best_other_logit",
    "gap to best other logit": "server.feature_gap_to_best_other_logit",
    "positive decisions elsewhere": "server.feature_positive_decisions_elsewhere",
    "expected other labels": "server.feature_expected_other_labels",
    "log prior": "server.feature_log_prior",
    "label co-occurrence": "server.feature_label_co_occurrence",
    "neighbour votes": "server.feature_neighbour_votes",
    "gap to best other votes": "server.feature_gap_to_best_other_votes",
    "nearest similarity": "server.feature_nearest_similarity",
    "log length": "server.feature_log_length",
    "mean score of the document": "server.feature_mean_score_of_the_document",
    "errors on neighbours": "server.feature_errors_on_neighbours",
    "centroid similarity": "server.feature_centroid_similarity",
    "gap to best other centroid": "server.feature_gap_to_best_other_centroid",
}
_OPINION_FEATURES = ("server.feature_of_opinion", "server.feature_of_opinion_elsewhere")


class Cause(NamedTuple):
    """A feature of the context, and by how much it changed the probability."""

    what: Message
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
    """Return the classes with the largest contributions to the utility, if they are in doubt."""
    return [
        one
        for one in contributions[:N_CLASSES]
        if one.contribution > 0 and one.error_probability >= LEAST_DOUBT
    ]


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


def feature_name(what: str) -> Message:
    """Return the name of a feature on the page; a feature of an opinion has the opinion's name.

    >>> str(feature_name("neighbour votes")), str(feature_name("logit of embeddings"))
    ('labels of similar documents', 'opinion “embeddings”')
    """
    if what in _FEATURES:
        return Message(_FEATURES[what])
    for title, key in zip(OPINION_NAMES, _OPINION_FEATURES, strict=True):
        if what.startswith(beginning := title.format("")):
            return Message(key, name=what.removeprefix(beginning))
    return Message("server.feature_other", name=what)


def as_dict(explained: ExplainedClass, say: Messages) -> dict[str, Any]:
    """Return the fields of the API's model `ClassExplained`."""
    values = dict(vars(explained))
    values["moved_by"] = [{"what": say(what), "by": by} for what, by in explained.moved_by]
    return values
