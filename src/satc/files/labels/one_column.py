"""Labels in one column: a list, several in one cell with a separator, or exactly one."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.labels.cells import distinct_labels, split_labels
from satc.files.labels.column_names import names_several, wanted_names
from satc.files.labels.several_columns import AnswerColumnsReader

LABELS, LABEL = "labels", "label"  # columns: any number of labels, and exactly one
Names = tuple[str, ...]


class NoLabelsReader:
    """Labels are not read: their columns are like all others."""

    name = LABELS
    classes: Names = ()

    def take(self, values: dict[str, Any], where: str) -> None:
        """Leave the row as it is."""

    def finish(self, path: Path) -> None:
        """Do nothing: there is nothing to check."""


class OneColumnReader:
    """Labels in the column of this name, or in several if the first row shows that they are meant.

    If there is no column ``labels``, a column ``label`` holds one label, whole.
    """

    classes: Names = ()

    def __init__(self, path: Path, name: str, separator: str, taken: Collection[str]) -> None:
        self.name = name
        self._path, self._separator, self._taken = path, separator, taken
        self._several: AnswerColumnsReader | None = None
        self._started = False

    def take(self, values: dict[str, Any], where: str) -> Names | None:
        """Remove the column from a row, and return its labels; None if it is not there."""
        if not self._started and self.name not in values and names_several(self.name):
            wanted = wanted_names(self.name, "labels_column")
            self._several = AnswerColumnsReader(self._path, wanted, self._taken)
        self._started = True
        if self._several is not None:
            return self._several.take(values, where)
        if self._has(values, self.name):
            return _labels(values.pop(self.name), self.name, self._separator, where)
        if self.name == LABELS and self._has(values, LABEL):
            return _one_label(values.pop(LABEL), where)
        return None

    def _has(self, values: dict[str, Any], name: str) -> bool:
        return name in values and name not in self._taken

    def finish(self, path: Path) -> None:
        """Do nothing: no error shows only at the end."""


def _labels(value: Any, name: str, separator: str, where: str) -> Names:
    if isinstance(value, str):
        return split_labels(value, separator)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise DataError(
            f"{where}: {name!r} must be a list of strings (an empty one where the document has no "
            f"label), but is {value!r:.80}"
        )
    return distinct_labels(value)


def _one_label(value: Any, where: str) -> Names:
    """Return the label of a cell; () for none. Numbers of classes become strings."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (str(value),)
    names = [value] if isinstance(value, str) else value if value is not None else []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError(f"{where}: {LABEL!r} must be a string, but is {value!r:.80}")
    return distinct_labels(names)
