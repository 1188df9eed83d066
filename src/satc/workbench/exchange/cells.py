"""Cells of CSV and TSV: no formulas, and every text comes back as it was.

A text that a spreadsheet would run gets a ``'`` in front, also where spaces or further ``'`` stand
before the formula; reading takes one away again. Labels are joined by ``|``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from satc.datasets.files.cells import is_formula
from satc.workbench.exchange.values import as_text

SEPARATOR = "|"
LABEL_COLUMNS = frozenset({"labels", "satc_labels", "satc_predicted"})
_IGNORED = "' \t\r\n\v\f\xa0\ufeff"  # spreadsheets may drop these before they look


def cell(name: str, value: Any) -> str:
    """Write a value of a column: labels joined, other lists and mappings as JSON."""
    if name in LABEL_COLUMNS and isinstance(value, (list, tuple)):
        return escaped(joined(value))
    return escaped(as_text(value) or "")


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


def joined(labels: Iterable[str]) -> str:
    """Join labels by ``|``.

    Raises
    ------
    ValueError
        If a label would not come back as it is: one with ``|``, with spaces around it, or empty.
    """
    names = list(labels)
    for name in names:
        if SEPARATOR in name or not name or name != name.strip():
            raise ValueError(
                f"labels must be free of {SEPARATOR!r} and of spaces around them to be written as "
                f"CSV or TSV, but one is {name!r}; JSON lines and Parquet take it"
            )
    return SEPARATOR.join(names)


def split(text: str) -> tuple[str, ...]:
    """Take joined labels apart, as the reader of documents does.

    >>> split("'=wheat| corn||corn")
    ('=wheat', 'corn')
    """
    names = (name.strip() for name in restored(text).split(SEPARATOR))
    return tuple(dict.fromkeys(name for name in names if name))
