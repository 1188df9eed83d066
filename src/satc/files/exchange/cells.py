"""Cells of CSV and TSV: no formulas, and every text comes back as it was.

A text that a spreadsheet would run gets a ``'`` in front; reading takes it away again. Labels are
joined by ``|``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from satc.files.cells import escaped, restored
from satc.files.exchange.values import as_text

SEPARATOR = "|"
LABEL_COLUMNS = frozenset({"labels", "satc_labels", "satc_predicted"})


def cell(name: str, value: Any) -> str:
    """Write a value of a column: labels joined, other lists and mappings as JSON."""
    if name in LABEL_COLUMNS and isinstance(value, (list, tuple)):
        return escaped(joined(value))
    return escaped(as_text(value) or "")


def joined(labels: Iterable[str], separator: str = SEPARATOR) -> str:
    """Join labels by a separator.

    Raises
    ------
    ValueError
        If a label would not come back as it is: one with the separator in it, with spaces around
        it, or empty.
    """
    names = list(labels)
    for name in names:
        if separator in name or not name or name != name.strip():
            raise ValueError(
                f"labels must be free of {separator!r} and of spaces around them to be written as "
                f"CSV or TSV, but one is {name!r}; JSON lines and Parquet take it"
            )
    return separator.join(names)


def split(text: str) -> tuple[str, ...]:
    """Take joined labels apart, as the reader of documents does.

    >>> split("'=wheat| corn||corn")
    ('=wheat', 'corn')
    """
    names = (name.strip() for name in restored(text).split(SEPARATOR))
    return tuple(dict.fromkeys(name for name in names if name))
