"""Rows whose labels stand in several columns, rewritten as rows with one column of labels.

Files of predictions and of known documents are read as rows first; so they take labels in columns,
too.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from satc.files.formats.rows import Row
from satc.files.labels.column_names import (
    is_delimited,
    labels_of_columns,
    matching,
    names_several,
    wanted_names,
)
from satc.files.labels.readers import LabelReader, label_reader


def has_answer_columns(path: Path, first: Row, labels_column: str) -> bool:
    """Say whether ``--labels-column`` names several columns, and a file has all of them."""
    if labels_column in first.values or not names_several(labels_column):
        return False
    labels = labels_of_columns(first.values, is_delimited(path))
    return all(matching(labels, name) for name in wanted_names(labels_column, "labels_column"))


def gather_answers(
    path: Path, rows: list[Row], labels_column: str, target: str, taken: Collection[str]
) -> list[Row]:
    """Return rows whose answer columns have become one column, `target`, with a list of labels."""
    return _gathered(rows, label_reader(path, labels_column, taken=taken), path, target)


def gather_classes(
    path: Path, rows: list[Row], label_columns: str, target: str, taken: Collection[str]
) -> list[Row]:
    """Return rows whose columns per class have become one column, `target`."""
    return _gathered(rows, label_reader(path, None, label_columns, taken=taken), path, target)


def _gathered(rows: list[Row], reader: LabelReader, path: Path, target: str) -> list[Row]:
    found = []
    for row in rows:
        values = dict(row.values)
        labels = reader.take(values, row.where)
        found.append(Row(row.where, values | {target: list(labels or ())}))
    reader.finish(path)
    return found
