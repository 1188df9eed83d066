"""Ranked documents as a table that a person can work through in a spreadsheet.

Beside rank, document and utility, as where scores are ranked, it has the predicted labels; the
class that is most worth a look, because it adds most to the utility, with the probability that the
decision on it is wrong; the text, and whatever columns the documents came with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from satc.files import Documents
from satc.files.exchange.columns import rename_taken
from satc.files.label_cells import join_labels
from satc.ranking import Ranking

Columns = dict[str, list[Any]]
_SHORT = ("rank", "document", "utility", "predicted", "doubtful", "probability_wrong")


def ranked_columns(
    documents: Documents, classes: tuple[str, ...], ranking: Ranking, top: int | None = None
) -> Columns:
    """Return the columns of the table, in the order of the ranking."""
    order = ranking.order[:top].tolist()
    decided = ranking.setting.scores >= 0
    extra = rename_taken(documents.extra, (*_SHORT, "text"))
    return {
        "rank": list(range(1, len(order) + 1)),
        "document": [documents.ids[i] for i in order],
        "utility": ranking.utility[order].tolist(),
        "predicted": [[classes[j] for j in np.flatnonzero(decided[i])] for i in order],
        **_doubtful(ranking, classes, order),
        "text": [documents.texts[i] for i in order],
        **{name: [values[i] for i in order] for name, values in extra.items()},
    }


def for_spreadsheets(columns: Columns, separator: str) -> Columns:
    """Join the predicted labels, for cells of CSV; each must come back as it is."""
    return columns | {
        "predicted": [join_labels(names, separator) for names in columns["predicted"]]
    }


def for_the_screen(columns: Columns, separator: str) -> Columns:
    """Leave out what is too wide for a screen: the texts, and what the documents came with."""
    shown = {name: columns[name] for name in _SHORT if name in columns}
    return shown | {"predicted": [separator.join(names) for names in columns["predicted"]]}


def _doubtful(ranking: Ranking, classes: tuple[str, ...], order: list[int]) -> Columns:
    """Name the class that adds most to each document's utility; the random ranker has none."""
    if ranking.setting.misclassification is None:
        return {}
    decided = ranking.setting.scores >= 0
    wrong = np.where(decided, 1.0 - ranking.probability, ranking.probability)
    first = (wrong * np.where(decided, *ranking.setting.gains)).argmax(axis=1)
    return {
        "doubtful": [classes[first[i]] for i in order],
        "probability_wrong": [round(float(wrong[i, first[i]]), 4) for i in order],
    }
