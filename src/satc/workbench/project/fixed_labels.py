"""The labels of a project are fixed when it is made.

When a project is opened, its model is estimated again. On another machine, or with a later version
of satc, labels that are chosen by this model could differ from the first ones in a few places. But
people have seen the first labels, and a certificate rests on them. So the stored labels stay, and
the probabilities of errors are those of the stored labels.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from satc.decisions import Decided
from satc.inputs import Labels
from satc.ranking.documents import RankedDocuments
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.preparation import tables_of


def with_labels(
    documents: RankedDocuments, labels: Labels, *, is_part: bool = False
) -> RankedDocuments:
    """Return the documents with these labels.

    The tables of a project follow from its labels; if it is a part of a larger set (`is_part`),
    the tables are those of the larger set, and stay.
    """
    if np.array_equal(documents.decided, labels):
        return documents
    model = documents.model
    fixed = replace(documents, decisions=Decided(labels, model.cuts, rule=model.rule))
    probability = model.probability(documents.scores, documents.features)
    if probability is not None:
        errors = GivenMisclassification.from_probability(labels, probability)
        fixed = replace(fixed, misclassification=errors)
    if is_part:
        return fixed
    return replace(fixed, model=replace(model, class_tables=tables_of(fixed, None)))
