"""The shape of the labels in the first rows: a column per class, answer columns, or one column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from satc.errors import DataError
from satc.files.labels.cells import SEPARATOR
from satc.files.labels.indicators import MARK, IndicatorColumn, is_empty

_SEPARATORS = ("|", ";", ",", "/")
_NUMBERED = re.compile(r"(.*?\D)?[ _.-]?\d+")
_LONGEST_LABEL = 80  # characters
_MOST_CLASSES = 0.5  # of the rows, in answer columns: more are no codes

Cells = Mapping[str, Sequence[Any]]


def class_columns(columns: Cells) -> list[str]:
    """Return the columns that stand for a class each; [] if there are fewer than two.

    >>> class_columns({"anger": ["0", "1"], "fear": ["1", "0"], "year": ["1999", "2001"]})
    ['anger', 'fear']
    """
    notations = {name: _notation(name, cells) for name, cells in columns.items()}
    found = [name for name, notation in notations.items() if notation]
    if len(found) < 2:
        return []
    if all(notations[name] == MARK for name in found):  # a column that nobody has marked yet
        first, last = (list(columns).index(name) for name in (found[0], found[-1]))
        between = list(columns)[first : last + 1]
        found = [name for name in between if notations[name] is not None]
    return found


def _notation(name: str, cells: Sequence[Any]) -> str | None:
    """Return how cells say yes and no; "" if all are empty, None if they say something else."""
    column = IndicatorColumn(name)
    try:
        for cell in cells:
            column.read(cell, name)
    except DataError:
        return None
    return column.notation or ""


def answer_columns(columns: Cells) -> list[str]:
    """Return numbered columns that hold one label each; [] if there are fewer than two.

    >>> answer_columns({"code1": ["price", "staff"] * 2, "code2": ["", "price"] * 2})
    ['code1', 'code2']
    """
    stems: dict[str, list[str]] = {}
    for name, cells in columns.items():
        found = _NUMBERED.fullmatch(name)
        if found and found[1] and all(_is_label(cell) for cell in cells):
            stems.setdefault(found[1].casefold(), []).append(name)
    for names in stems.values():
        cells = [str(c) for name in names for c in columns[name] if not is_empty(c)]
        if len(names) > 1 and cells and len(set(cells)) <= max(_MOST_CLASSES * len(cells), 2):
            return names
    return []


def _is_label(cell: Any) -> bool:
    return is_empty(cell) or (isinstance(cell, (str, int)) and len(str(cell)) <= _LONGEST_LABEL)


def find_label_separator(cells: Sequence[Any]) -> str:
    """Return the sign between the labels of a cell.

    A sign divides labels if the parts of cells are labels that other cells have as well.

    >>> find_label_separator(["price;staff", "staff", "price"])
    ';'
    >>> find_label_separator(["Bread, milk", "Meat"])
    '|'
    """
    texts = [cell for cell in cells if isinstance(cell, str)]
    if any(SEPARATOR in text for text in texts):
        return SEPARATOR
    for sign in _SEPARATORS[1:]:
        divided = [text for text in texts if sign in text]
        parts = [part.strip() for text in divided for part in text.split(sign)]
        others = {text.strip() for text in texts if sign not in text}
        again = sum(part in others or parts.count(part) > 1 for part in parts)
        if parts and again * 2 > len(parts):
            return sign
    return SEPARATOR
