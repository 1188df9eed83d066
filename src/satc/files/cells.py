"""Cells of CSV and TSV that a spreadsheet would run as a formula.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return is one, unless it is
a number; spreadsheets may drop spaces and further ``'`` before they look. A ``'`` in front makes it
a text, and whoever reads the file can take it away again.
"""

from __future__ import annotations

import unicodedata

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_IGNORED = "' \t\r\n\v\f\xa0\ufeff"  # spreadsheets may drop these before they look


def is_formula(text: str) -> bool:
    """Say whether a spreadsheet would run the text.

    >>> [is_formula(text) for text in ("=1+1", "-2", "+cmd", "a=b")]
    [True, False, True, False]
    """
    return text.startswith(_FORMULA) and not _is_number(text)


def escaped(text: str) -> str:
    """Put a ``'`` before a formula.

    >>> [escaped(text) for text in ("=1+1", " =1+1", "'=1+1", "-1", "it's")]
    ["'=1+1", "' =1+1", "''=1+1", '-1', "it's"]
    """
    return f"'{text}" if _is_dangerous(text) else text


def restored(text: str) -> str:
    """Take away what `escaped` put there.

    >>> [restored(text) for text in ("'=1+1", "''=1+1", "'tis", "-1")]
    ['=1+1', "'=1+1", "'tis", '-1']
    """
    return text[1:] if text.startswith("'") and _is_dangerous(text) else text


def _is_dangerous(text: str) -> bool:
    if not text or text[0].isalnum():  # nearly all, and no such sign becomes one of a formula
        return False
    # The answer must not change with a ' in front, or `restored` would not undo `escaped`.
    if text.lstrip("'").startswith(("\t", "\r", "\n")):
        return True
    start = text.lstrip(_IGNORED)
    return is_formula(unicodedata.normalize("NFKC", start[:1]) + start[1:])  # wide signs too


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
