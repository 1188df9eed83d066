"""Ranked documents as a table that a person can work through in a spreadsheet.

The table has the rank, the id and the utility of each document, and its predicted labels. It names
the doubtful class, which adds most to the utility, with the probability that the decision on it is
wrong. Where every document has exactly one label, the table has this label, the most probable other
class (`instead`), and the probability that the label is wrong. The text and all other columns of
the file of documents follow. Predicted labels can also be in several columns: a column of 0 and 1
for each class, or one label in each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from satc.files import Documents
from satc.files.exchange.columns import rename_taken
from satc.files.labels.cells import join_labels
from satc.files.labels.shapes import AnswerColumns, ClassColumns, Shape, check_columns
from satc.inputs import SINGLE_LABEL, Labels
from satc.ranking import Ranking
from satc.ranking.shown.doubts import column_of, doubts
from satc.texts.columns import Columns as ColumnNames

Columns = dict[str, list[Any]]
_SHORT = ("rank", "document", "utility", "predicted", "doubtful", "instead", "probability_wrong")
_BESIDE_SHAPE = ("rank", "document", "utility", "doubtful", "instead", "probability_wrong", "text")


def ranked_columns(
    documents: Documents,
    classes: tuple[str, ...],
    ranking: Ranking,
    top: int | None = None,
    as_read: ColumnNames | None = None,
) -> Columns:
    """Return the columns of the table, in the order of the ranking; `top` cuts it off.

    With `as_read`, predicted labels have the shape in which labels are read: a column for each
    class, or several columns.
    """
    order = ranking.order[:top].tolist()
    decided = ranking.documents.decided
    single = ranking.documents.model.task == SINGLE_LABEL
    taken = [name for name in _SHORT if name != ("doubtful" if single else "instead")]
    predicted: Columns = {"predicted": [_names(classes, decided[i], single) for i in order]}
    if as_read is not None:
        predicted = _shaped(
            predicted["predicted"], classes, as_read, [documents.ids[i] for i in order]
        )
    extra = rename_taken(documents.extra, (*taken, *predicted, "text"))
    return {
        "rank": list(range(1, len(order) + 1)),
        "document": [documents.ids[i] for i in order],
        "utility": ranking.utility[order].tolist(),
        **predicted,
        **_doubts(ranking, classes, order),
        "text": [documents.texts[i] for i in order],
        **{name: [values[i] for i in order] for name, values in extra.items()},
    }


def check_classes(classes: tuple[str, ...], as_read: ColumnNames) -> None:
    """Refuse classes that cannot have a column of their name beside the other columns."""
    if as_read.label_columns is not None:
        check_columns(ClassColumns(classes), _BESIDE_SHAPE)


def _shaped(
    predicted: list[Any], classes: tuple[str, ...], as_read: ColumnNames, ids: list[str]
) -> Columns:
    """Return the predicted labels in several columns."""
    lists = [[one] if isinstance(one, str) else one for one in predicted]
    shape: Shape = ClassColumns(classes)
    if as_read.label_columns is None:
        shape = AnswerColumns("predicted*", max(map(len, lists), default=1))
    check_columns(shape, _BESIDE_SHAPE)
    rows = [shape.cells(names, one) for names, one in zip(lists, ids, strict=True)]
    return {name: [row[name] for row in rows] for name in shape.columns}


def for_spreadsheets(columns: Columns, separator: str) -> Columns:
    """Join the predicted labels for a CSV cell; no label may contain the separator.

    A column with exactly one label stays as it is, and so do several columns.
    """
    if "predicted" not in columns:
        return columns
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


def _doubts(ranking: Ranking, classes: tuple[str, ...], order: list[int]) -> Columns:
    """Return the class that is most worth a look; a random order has no such class."""
    found = doubts(ranking.documents)
    if found is None:
        return {}
    return {
        column_of(ranking.documents): [classes[found.classes[i]] for i in order],
        "probability_wrong": [round(float(found.wrong[i]), 4) for i in order],
    }
