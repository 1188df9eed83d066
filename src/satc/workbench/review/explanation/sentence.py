"""Why a person has a document, in one sentence that is true for each of the four reasons.

Only a document that the ranking gave is said to raise the measure. A document that was drawn at
random, or that is given for a second reading, was chosen regardless of its labels. The rankings of
others do not know the measure.
"""

from __future__ import annotations

from collections.abc import Sequence

from satc.ranking.methods import parse_method
from satc.workbench.messages import Message
from satc.workbench.model.shown import Source
from satc.workbench.review.explanation.classes import LEAST_DOUBT, ExplainedClass
from satc.workbench.store.projects import Project

_PROBABLY = 0.5  # a doubt of at least this size is called probable


def say_why(
    source: Source, project: Project, classes: Sequence[ExplainedClass], *, from_predictions: bool
) -> Message:
    """Say why a person has a document.

    `classes` are those that matter most, the most important first. `from_predictions`: no
    decisions have been learnt from yet.
    """
    if source == "audit":
        return Message("server.why_audit")
    if source == "second":
        return Message("server.why_second")
    doubt = _doubt(project, classes) if _is_in_doubt(project, classes) else None
    sentence = _say_chosen(doubt) if source == "chosen" else _say_ranked(project, doubt)
    if doubt is None or not from_predictions:
        return sentence
    only = Message("server.why_from_predictions")
    return Message("server.two_sentences", first=sentence, second=only)


def _is_in_doubt(project: Project, classes: Sequence[ExplainedClass]) -> bool:
    """Whether a label may be wrong or missing; a class below 1% is not worth naming."""
    if project.settings.is_single_label:
        return len(classes) > 1 and classes[1].probability >= LEAST_DOUBT
    return bool(classes) and classes[0].p_error >= LEAST_DOUBT


def _say_ranked(project: Project, doubt: Message | None) -> Message:
    if doubt is None:
        return Message("server.why_ranked_sure")
    if parse_method(project.settings.method).is_rival:
        return Message("server.why_ranked_by", method=project.settings.method, doubt=doubt)
    return Message("server.why_ranked", measure=project.settings.measure_name, doubt=doubt)


def _say_chosen(doubt: Message | None) -> Message:
    if doubt is None:
        return Message("server.why_chosen")
    return Message("server.why_chosen_doubt", doubt=doubt)


def _doubt(project: Project, classes: Sequence[ExplainedClass]) -> Message:
    """Say which label is most worth a check, or which other class the document may have."""
    first, names = classes[0], project.names
    if project.settings.is_single_label:
        other = classes[1]
        key = _by_size("server.doubt_probably_other", "server.doubt_other", other.probability)
        return Message(
            key,
            name=names[first.label],
            p=first.probability,
            other=names[other.label],
            other_p=other.probability,
        )
    if first.decision:
        key = _by_size("server.doubt_probably_wrong", "server.doubt_wrong", first.p_error)
    else:
        key = _by_size("server.doubt_probably_missing", "server.doubt_missing", first.p_error)
    return Message(key, name=names[first.label], p=first.p_error)


def _by_size(probable: str, possible: str, probability: float) -> str:
    return probable if probability >= _PROBABLY else possible
