"""Which class of a document is most worth a look, and how likely the decision on it is wrong.

If a document may have several labels, this is the class that adds most to its utility. If every
document has exactly one label, it is the most probable other class, and the probability is that of
the label being wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.inputs import SINGLE_LABEL, Labels
from satc.ranking.documents import RankedDocuments

DOUBTFUL, INSTEAD = "doubtful", "instead"  # names of the column of these classes


class Doubts(NamedTuple):
    """The class that is most worth a look, and P(error), for some documents."""

    classes: NDArray[np.int64]
    wrong: NDArray[np.float64]


def doubts(documents: RankedDocuments, rows: slice = slice(None)) -> Doubts | None:
    """Return the doubts about some documents; None for a random order, which knows no errors."""
    if documents.misclassification is None:
        return None
    decided = _decided(documents, rows)
    wrong = documents.misclassification.of_documents(rows)
    if documents.model.task == SINGLE_LABEL:
        probability = np.where(decided, 1.0 - wrong, wrong)
        others = np.where(decided, -1.0, probability)
        return Doubts(others.argmax(axis=1), 1.0 - probability[decided])
    classes = (wrong * np.where(decided, *documents.model.gains)).argmax(axis=1)
    return Doubts(classes, wrong[np.arange(len(classes)), classes])


def _decided(documents: RankedDocuments, rows: slice) -> Labels:
    """Return the labels of some documents; those of the others are not computed."""
    if documents.decisions is None:
        return documents.model.own_labels(documents.scores[rows])
    return np.asarray(documents.decisions.labels[rows])


def column_of(documents: RankedDocuments) -> str:
    """Return the name of the column of these classes."""
    return INSTEAD if documents.model.task == SINGLE_LABEL else DOUBTFUL
