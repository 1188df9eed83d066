"""Positions in a workbook: files with the name of a sheet, and the letters of columns."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

MAX_ROWS = 1_048_576  # of a sheet, the header included
MAX_COLUMNS = 16_384

ENDINGS = (".xlsx", ".xlsm")
_WITH_SHEET = re.compile(r"(.+\.xls[xm])#(.+)", re.IGNORECASE | re.DOTALL)


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """Split ``survey.xlsx#coded`` into the file and the sheet; other paths name no sheet.

    >>> split_sheet(Path("survey.xlsx#Wave 2.1"))[1], split_sheet(Path("survey.xlsx"))[1]
    ('Wave 2.1', None)
    """
    found = _WITH_SHEET.fullmatch(path.name)
    return (path, None) if found is None else (path.with_name(found[1]), found[2])


def is_xlsx(path: Path) -> bool:
    """Whether a path names a workbook, or a sheet of one."""
    return split_sheet(path)[0].suffix.lower() in ENDINGS


@lru_cache(maxsize=MAX_COLUMNS)
def column_letters(column: int) -> str:
    """Return the letters of a column, which is counted from 0.

    >>> column_letters(0), column_letters(27), column_letters(16383)
    ('A', 'AB', 'XFD')
    """
    letters = ""
    left = column + 1
    while left:
        left, digit = divmod(left - 1, 26)
        letters = chr(65 + digit) + letters
    return letters


@lru_cache(maxsize=MAX_COLUMNS)
def column_number(letters: str) -> int | None:
    """Return the number of a column, counted from 0; None for letters that name no column.

    >>> column_number("AB"), column_number("XFE")
    (27, None)
    """
    if not 1 <= len(letters) <= 3 or not all("A" <= letter <= "Z" for letter in letters):
        return None
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1 if number <= MAX_COLUMNS else None
