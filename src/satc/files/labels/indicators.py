"""Cells of a column that stands for one class: 0/1, true/false, yes/no, or x/empty.

A column has one notation, the one of its first cell that is not empty. An empty cell means *no* in
a column of x; in the other notations it is an error, because nobody knows what it means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from satc.errors import DataError

MARK = "x or empty"
_NUMBERS, _BOOLEANS, _WORDS = "0 or 1", "true or false", "yes or no"
_CELLS = {
    "0": (_NUMBERS, False),
    "1": (_NUMBERS, True),
    "0.0": (_NUMBERS, False),
    "1.0": (_NUMBERS, True),
    "false": (_BOOLEANS, False),
    "true": (_BOOLEANS, True),
    "no": (_WORDS, False),
    "yes": (_WORDS, True),
    "n": (_WORDS, False),
    "y": (_WORDS, True),
    "x": (MARK, True),
}
_REMEDY = "a column of codes is read with --labels-column"


def is_empty(value: Any) -> bool:
    """Say whether a cell is empty: no text, null, or the NaN that pandas writes for it."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and math.isnan(value))


def indicator_of(value: Any) -> tuple[str, bool] | None:
    """Return the notation of a cell and what it says; None if it is in none of the notations.

    >>> [indicator_of(value) for value in ("1", 0.0, "NO", True, "2")]
    [('0 or 1', True), ('0 or 1', False), ('yes or no', False), ('true or false', True), None]
    """
    if isinstance(value, str):
        return _CELLS.get(value.strip().lower())
    if isinstance(value, bool):
        return _BOOLEANS, value
    if isinstance(value, (int, float, Decimal)) and value in (0, 1):
        return _NUMBERS, bool(value)
    return None


@dataclass
class IndicatorColumn:
    """The cells of one column, read from the first row to the last.

    Attributes
    ----------
    name
        The name of the column.
    notation, since
        The notation, and the position of the first cell in it; None before there is one.
    empty
        The position of the first empty cell.
    positive
        Whether a cell has said yes.
    """

    name: str
    notation: str | None = None
    since: str = ""
    empty: str | None = None
    positive: bool = False

    def read(self, value: Any, where: str) -> bool:
        """Return what a cell says."""
        if is_empty(value):
            self._check_empty(where)
            return False
        found = indicator_of(value)
        if found is None or self.notation not in (None, found[0]):
            raise DataError(f"{where}: {self.name!r} must be {self._must()}, but is {value!r:.80}")
        if self.notation is None:
            self._begin(found[0], where)
        self.positive |= found[1]
        return found[1]

    def _begin(self, notation: str, where: str) -> None:
        if self.empty is not None and notation != MARK:
            raise DataError(
                f"{self.empty}: {self.name!r} must be {notation}, as in {_place(where)}, but is "
                "empty"
            )
        self.notation, self.since = notation, where

    def _check_empty(self, where: str) -> None:
        if self.notation not in (None, MARK):
            raise DataError(f"{where}: {self.name!r} must be {self.notation}, but is empty")
        self.empty = self.empty or where

    def _must(self) -> str:
        if self.notation is None:
            return f"0 or 1, true or false, yes or no, or {MARK} ({_REMEDY})"
        return f"{self.notation}, as in {_place(self.since)}"


def _place(where: str) -> str:
    """Return "line 7" of "data.csv, line 7"."""
    return where.rpartition(", ")[2]


def check_filled(columns: list[IndicatorColumn], path: object) -> None:
    """Refuse a column without any value beside columns in which every cell has one."""
    filled = next((one for one in columns if one.notation not in (None, MARK)), None)
    for column in columns:
        if filled is not None and column.notation is None:
            raise DataError(
                f"{path}: {column.name!r} must be {filled.notation}, as {filled.name!r} is, but is "
                "empty in every row; leave it out of the label columns"
            )
