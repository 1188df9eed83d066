"""Which columns look as if each stood for a class, where no column of labels was found."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from satc.errors import DataError
from satc.files.labels.column_names import LABEL_COLUMNS, joined_names
from satc.files.labels.indicators import IndicatorColumn


def suggest_label_columns(columns: Mapping[str, Iterable[Any]]) -> str:
    """Return the end of an error message that names the option to use; "" if there is none.

    >>> suggest_label_columns({"anger": ["0", "1"], "fear": ["1", "0"], "year": ["1999", "0"]})
    '; if each class has a column of its own: --label-columns anger,fear'
    """
    names = [name for name, cells in columns.items() if _is_indicator(name, cells)]
    if len(names) < 2:
        return ""
    option = f"{LABEL_COLUMNS} {shlex.quote(joined_names(names))}"
    return f"; if each class has a column of its own: {option}"


def _is_indicator(name: str, cells: Iterable[Any]) -> bool:
    """Say whether all cells are in one notation."""
    column = IndicatorColumn(name)
    try:
        for cell in cells:
            column.read(cell, name)
    except DataError:
        return False
    return column.notation is not None
