"""Where the labels of a row are: in one column, in several answer columns, in a column per class.

A reader is made for one file, and reads its rows in their order. It removes the columns of labels
from a row, so that they are not among the other columns.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Protocol

from satc.files.labels.cells import SEPARATOR
from satc.files.labels.column_names import Wanted, wanted_names
from satc.files.labels.one_column import LABELS, NoLabelsReader, OneColumnReader
from satc.files.labels.several_columns import ClassColumnsReader


class LabelReader(Protocol):
    """Reads the labels of the rows of one file."""

    @property
    def name(self) -> str:
        """The columns, for error messages."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that have a column of their own."""

    def take(self, values: dict[str, Any], where: str) -> tuple[str, ...] | None:
        """Remove the columns of labels from a row, and return the labels; None without any."""

    def finish(self, path: Path) -> None:
        """Raise the errors that only show at the end of the file."""


def label_reader(
    path: Path,
    labels_column: str | None,
    label_columns: Wanted | None = None,
    separator: str = SEPARATOR,
    taken: Collection[str] = (),
) -> LabelReader:
    """Return the reader of a file.

    Parameters
    ----------
    path
        The file.
    labels_column
        One column of labels, or several as names and patterns; None to read no labels.
    label_columns
        Names and patterns of columns that stand for a class each, in the place of `labels_column`.
    separator
        The string between two labels in a cell of one column.
    taken
        The columns of ids and texts.
    """
    if label_columns is None:
        if labels_column is None:
            return NoLabelsReader()
        return OneColumnReader(path, labels_column, separator, taken)
    check_one_shape(labels_column, label_columns)
    return ClassColumnsReader(path, wanted_names(label_columns, "label_columns"), taken)


def check_one_shape(labels_column: str | None, label_columns: Wanted | None) -> None:
    """Refuse both a column for each class and columns of labels."""
    if label_columns is not None and labels_column not in (None, LABELS):
        raise ValueError(
            "label_columns (a column for each class) and labels_column (columns of labels) must "
            f"not be given together, but are {label_columns!r} and {labels_column!r}"
        )
