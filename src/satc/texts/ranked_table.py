"""Ranked documents as a table that a person can work through in a spreadsheet.

The table has the rank, the id and the utility of each document, and its predicted labels. It names
the doubtful class, which adds most to the utility, with the probability that the decision on it is
wrong. Where every document has exactly one label, the table has this label, the most probable other
class (`instead`), and the probability that the label is wrong. The text and all other columns of
the file of documents follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from satc.files import Documents
from satc.files.exchange.columns import rename_taken
from satc.files.labels.cells import join_labels
from satc.inputs import SINGLE_LABEL, Labels
from satc.ranking import Ranking

Columns = dict[str, list[Any]]
_SHORT = ("rank", "document", "utility", "predicted", "doubtful", "instead", "probability_wrong")


def ranked_columns(
    documents: Documents, classes: tuple[str, ...], ranking: Ranking, top: int | None = None
) -> Columns:
    """Return the columns of the table, in the order of the ranking; `top` cuts it off."""
    order = ranking.order[:top].tolist()
    decided = ranking.documents.decided
    single = ranking.documents.model.task == SINGLE_LABEL
    others = _instead if single else _doubtful
    taken = [name for name in _SHORT if name != ("doubtful" if single else "instead")]
    extra = rename_taken(documents.extra, (*taken, "text"))
    return {
        "rank": list(range(1, len(order) + 1)),
        "document": [documents.ids[i] for i in order],
        "utility": ranking.utility[order].tolist(),
        "predicted": [_names(classes, decided[i], single) for i in order],
        **others(ranking, classes, order),
        "text": [documents.texts[i] for i in order],
        **{name: [values[i] for i in order] for name, values in extra.items()},
    }


def for_spreadsheets(columns: Columns, separator: str) -> Columns:
    """Join the predicted labels for a CSV cell; no label may contain the separator.

    A column with exactly one label stays as it is.
    """
    return columns | {
        "predicted": [
            names if isinstance(names, str) else join_labels(names, separator)
            for names in columns["predicted"]
        ]
    }


def for_the_screen(columns: Columns, separator: str) -> Columns:
    """Leave out the texts and the other columns of the file, which are too wide for a screen."""
    shown = {name: columns[name] for name in _SHORT if name in columns}
    predicted = columns["predicted"]
    return shown | {
        "predicted": [one if isinstance(one, str) else separator.join(one) for one in predicted]
    }


def _names(classes: tuple[str, ...], decided: Labels, single: bool) -> str | list[str]:
    names = [classes[j] for j in np.flatnonzero(decided)]
    return names[0] if single else names


def _doubtful(ranking: Ranking, classes: tuple[str, ...], order: list[int]) -> Columns:
    """Return the class that adds most to each utility; a random order has no such class."""
    if ranking.documents.misclassification is None:
        return {}
    decided = ranking.documents.decided
    wrong = np.where(decided, 1.0 - ranking.probability, ranking.probability)
    first = (wrong * np.where(decided, *ranking.documents.model.gains)).argmax(axis=1)
    return {
        "doubtful": [classes[first[i]] for i in order],
        "probability_wrong": [round(float(wrong[i, first[i]]), 4) for i in order],
    }


def _instead(ranking: Ranking, classes: tuple[str, ...], order: list[int]) -> Columns:
    """Return the most probable other class; a random order has no probabilities."""
    if ranking.documents.misclassification is None:
        return {}
    decided, probability = ranking.documents.decided, ranking.probability
    other = np.where(decided, -1.0, probability).argmax(axis=1)
    wrong = 1.0 - probability[decided]  # one label per document, so one value per row
    return {
        "instead": [classes[other[i]] for i in order],
        "probability_wrong": [round(float(wrong[i]), 4) for i in order],
    }
