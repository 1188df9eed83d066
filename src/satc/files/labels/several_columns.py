"""Labels in several columns: a yes/no column for each class, or answer columns of one code each.

The first row shows which columns are meant; all rows of JSON lines must have the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.formats.formulas import unescape_formula
from satc.files.labels.cells import distinct_labels
from satc.files.labels.column_names import (
    LABEL_COLUMNS,
    LABELS_COLUMN,
    is_delimited,
    labels_of_columns,
    matching,
    select_columns,
)
from satc.files.labels.indicators import IndicatorColumn, check_filled, is_empty

Names = tuple[str, ...]


class _SeveralColumns:
    """Columns that are chosen by names and patterns, from those of the first row."""

    option = ""

    def __init__(self, path: Path, wanted: Names, taken: Collection[str]) -> None:
        self.name = ", ".join(wanted)
        self._delimited = is_delimited(path)
        self._wanted, self._taken = wanted, taken
        self._known: set[str] = set()  # the columns of the first row
        self._patterns: list[str] = []  # the wanted names that no column has exactly
        self._chosen: dict[str, str] | None = None  # the label of each chosen column

    def _cells(self, values: dict[str, Any], where: str) -> dict[str, Any]:
        """Remove the chosen columns from a row, and return their cells."""
        if self._chosen is None:
            self._chosen = self._choose(values, where)
        if lacking := next((name for name in self._chosen if name not in values), None):
            raise DataError(f"{where} must have the column {lacking!r}, which the first row has")
        self._check_no_other(values, where)
        return {name: values.pop(name) for name in self._chosen}

    def _choose(self, values: Mapping[str, Any], where: str) -> dict[str, str]:
        labels = labels_of_columns(values, self._delimited)
        found = select_columns(labels, self._wanted, self.option, where, self._taken)
        self._known = set(values)
        self._patterns = [name for name in self._wanted if name not in {*labels, *labels.values()}]
        return {name: labels[name] for name in found}

    def _check_no_other(self, values: Mapping[str, Any], where: str) -> None:
        if not self._patterns or values.keys() <= self._known:
            return
        labels = labels_of_columns(values, self._delimited)
        for pattern in self._patterns:
            for name in matching(labels, pattern):
                if name not in self._known:
                    raise DataError(f"{where} has the column {name!r}, which the first row lacks")


class ClassColumnsReader(_SeveralColumns):
    """A column for each class, which says yes or no; the class has the name of the column."""

    option = LABEL_COLUMNS

    def __init__(self, path: Path, wanted: Names, taken: Collection[str]) -> None:
        super().__init__(path, wanted, taken)
        self.classes: Names = ()  # in the order of the columns
        self._columns: list[IndicatorColumn] = []

    def take(self, values: dict[str, Any], where: str) -> Names:
        """Return the classes whose cell says yes."""
        cells = self._cells(values, where).values()
        read = zip(self._columns, self.classes, cells, strict=True)
        return tuple(label for one, label, cell in read if one.read(cell, where))

    def _choose(self, values: Mapping[str, Any], where: str) -> dict[str, str]:
        chosen = super()._choose(values, where)
        labels = list(chosen.values())
        if twice := next((one for one in labels if labels.count(one) > 1), None):
            raise DataError(f"{where}: label columns must differ, but {twice!r} comes twice")
        self.classes = tuple(labels)
        self._columns = [IndicatorColumn(name) for name in chosen]
        return chosen

    def finish(self, path: Path) -> None:
        """Refuse a column whose cells are all empty beside filled ones."""
        check_filled(self._columns, path)


class AnswerColumnsReader(_SeveralColumns):
    """Several answers to one question: each cell holds one label, whole, or is empty."""

    option = LABELS_COLUMN
    classes: Names = ()

    def take(self, values: dict[str, Any], where: str) -> Names:
        """Return the labels of all cells, each once."""
        cells = self._cells(values, where)
        return distinct_labels(self._label(cells[name], name, where) for name in cells)

    def _label(self, value: Any, name: str, where: str) -> str:
        if is_empty(value):
            return ""
        if isinstance(value, str):
            return unescape_formula(value) if self._delimited else value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, (float, Decimal)) and math.isfinite(value):
            return str(int(value)) if value == int(value) else str(value)
        raise DataError(
            f"{where}: {name!r} must be one label, a string or a number, or empty, but is "
            f"{value!r:.80}"
        )

    def finish(self, path: Path) -> None:
        """Do nothing: no error shows only at the end."""
