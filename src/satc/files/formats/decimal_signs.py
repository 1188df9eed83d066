"""Decimal signs of the numbers in a file: a point or a comma, but not both.

``0,85`` is a number with a decimal comma. ``1,234`` is one, too, if other numbers of the file show
that a comma is the decimal sign, or if all numbers are to be from 0 to 1; else it might mean 1234,
which is an error.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import NamedTuple

from satc.errors import DataError, GuessedFormatWarning

_WITH_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_UNCLEAR = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_WITH_POINT = re.compile(r"[+-]?\d*\.\d*(?:[eE][+-]?\d+)?")


class _Seen(NamedTuple):
    text: str
    where: str


class DecimalSigns:
    """Reads decimal commas as points, and remembers where the first of each kind stood."""

    def __init__(self) -> None:
        self._comma: _Seen | None = None
        self._unclear: _Seen | None = None
        self._point: _Seen | None = None

    def with_point(self, text: str, where: str) -> str:
        """Return a number with a decimal point; other texts do not change.

        >>> signs = DecimalSigns()
        >>> signs.with_point("0,85", "a.csv, line 2"), signs.with_point("1,2,3", "a.csv, line 3")
        ('0.85', '1,2,3')
        """
        if "," not in text:
            if self._point is None and _WITH_POINT.fullmatch(text):
                self._point = _Seen(text, where)
            return text
        if not _WITH_COMMA.fullmatch(text):
            return text
        if _UNCLEAR.fullmatch(text):
            self._unclear = self._unclear or _Seen(text, where)
        else:
            self._comma = self._comma or _Seen(text, where)
        return text.replace(",", ".")

    def check(self, path: Path, *, within_one: bool) -> None:
        """Refuse signs that are not clear, and say that decimal commas were read.

        `within_one`: all numbers must be from 0 to 1, so that no comma can divide thousands.
        """
        first = self._comma or self._unclear
        if first is None:
            return
        if self._point is not None:
            raise DataError(
                f"{first.where}: numbers must all have decimal points, or all decimal commas, but "
                f"the file has {first.text!r} here and {self._point.text!r} in "
                f"{self._point.where.rpartition(', ')[2]}"
            )
        if self._comma is None and not within_one:
            number = first.text.replace(",", "")
            raise DataError(
                f"{first.where}: {first.text!r} may mean {first.text.replace(',', '.')} or "
                f"{number}: write numbers with a decimal point"
            )
        warnings.warn(
            f"{path} was read with decimal commas, as in {first.text!r} in "
            f"{first.where.rpartition(', ')[2]}",
            GuessedFormatWarning,
            stacklevel=2,
        )
