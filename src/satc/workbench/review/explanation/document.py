"""Explains a document: why it is next, who says what, and which labelled documents are similar."""

from __future__ import annotations

from typing import NamedTuple

from satc.calibration.remembered import make_ready
from satc.ranking.reasons.opinions import Said, said_about
from satc.workbench.messages import Message
from satc.workbench.model.shown import Source
from satc.workbench.review.desk import Desk
from satc.workbench.review.explanation.classes import ExplainedClass, explain_classes
from satc.workbench.review.explanation.differing import say_differences
from satc.workbench.review.explanation.sentence import say_why
from satc.workbench.review.explanation.similar import SimilarText, similar_texts


class ExplainedDocument(NamedTuple):
    """Why a document has its place in the ranking, and what is known about it.

    Attributes
    ----------
    source
        Why the person has the document.
    sentence
        The same in one sentence, with the doubt that matters most.
    classes
        The classes that matter most.
    said
        The labels of the classifier and of the other opinions.
    disagreement
        Where opinions differ from the classifier, a sentence each.
    similar
        The most similar documents with known labels, the nearest first.
    """

    source: Source
    sentence: Message
    classes: list[ExplainedClass]
    said: Said
    disagreement: list[Message]
    similar: list[SimilarText]


def explain(desk: Desk, document: int, who: str = "") -> ExplainedDocument:
    """Explain to a person why they have a document, and what is known about it.

    In a single-label project the sentence names the predicted class and the most probable other
    one, and the classes come in the order of their probabilities.
    """
    make_ready(desk.validation.model.calibrator)  # fits once, without holding up others
    with desk.reading():
        validation = desk.validation
        contributions, standing = validation.explain(document), validation.standing
        said = said_about(validation.documents, document, (one.context for one in contributions))
        similar = similar_texts(desk, document, who)
        source = desk.leases.source_of(document, who)
    classes = explain_classes(contributions, is_single=desk.project.settings.is_single_label)
    is_guess = standing is not None and not standing.n_decisions
    sentence = say_why(source, desk.project, classes, from_predictions=is_guess)
    disagreement = say_differences(said, desk.project.names, [one.label for one in classes])
    return ExplainedDocument(source, sentence, classes, said, disagreement, similar)
