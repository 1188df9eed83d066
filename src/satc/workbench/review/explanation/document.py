"""Explains a document: why it is next, who says what, and which labelled documents are similar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satc.ranking.reasons.opinions import Said, said_about
from satc.workbench.review.desk import Desk
from satc.workbench.review.explanation.classes import ExplainedClass, explain_classes
from satc.workbench.review.explanation.similar import SimilarText, similar_texts

_PROBABLY = 0.5  # a doubt of at least this size is called probable
_FROM_PREDICTIONS = "Too few documents are checked yet, so this follows from the predictions alone."


class ExplainedDocument(NamedTuple):
    """Why a document has its place in the ranking, and what is known about it.

    Attributes
    ----------
    sentence
        Why a check is worth the time.
    classes
        The classes that matter most.
    said
        The labels of the classifier and of the other opinions.
    disagreement
        Where opinions differ from the classifier; "" if they do not.
    similar
        The most similar documents with known labels, the nearest first.
    """

    sentence: str
    classes: list[ExplainedClass]
    said: Said
    disagreement: str
    similar: list[SimilarText]


def explain(desk: Desk, document: int, who: str = "") -> ExplainedDocument:
    """Explain the rank of a document to a person.

    In a single-label project the sentence names the predicted class and the most probable other
    one, and the classes come in the order of their probabilities.
    """
    with desk.locked():
        validation = desk.validation
        contributions, standing = validation.explain(document), validation.standing
        said = said_about(validation.documents, document, (one.context for one in contributions))
        similar = similar_texts(desk, document, who)
    classes = explain_classes(contributions, is_single=desk.project.settings.is_single_label)
    sentence = _sentence(desk, classes)
    if classes and standing is not None and not standing.n_decisions:
        sentence = f"{sentence} {_FROM_PREDICTIONS}"
    disagreement = said.sentence(desk.project.names, [one.label for one in classes])
    return ExplainedDocument(sentence, classes, said, disagreement, similar)


def _sentence(desk: Desk, classes: list[ExplainedClass]) -> str:
    if not classes:
        return "No label of this document is expected to be wrong."
    settings, names = desk.project.settings, desk.project.names
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
