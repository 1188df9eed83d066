"""Names of a code book in the table of ranked documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from satc.code_book import CodeBook

Columns = dict[str, list[Any]]
_OF_CLASSES = ("predicted", "doubtful", "instead")
_BETWEEN = " | "  # names may hold the separator of labels, so this column is for people only


def with_names(columns: Columns, book: CodeBook) -> Columns:
    """Add a column of names behind each column of codes, if names differ from codes.

    >>> from satc.code_book import Entry
    >>> book = CodeBook((Entry("1", "Sport"), Entry("2", "Politics")))
    >>> with_names({"predicted": [["1", "2"]], "doubtful": ["2"]}, book)["predicted_names"]
    ['Sport | Politics']
    """
    if book.names == book.codes:
        return columns
    names = dict(zip(book.codes, book.names, strict=True))
    found: Columns = {}
    for column, values in columns.items():
        found[column] = values
        if column in _OF_CLASSES and f"{column}_names" not in columns:
            found[f"{column}_names"] = [_joined(value, names) for value in values]
    return found


def named_columns(columns: Columns, book: CodeBook | None) -> Columns:
    """Replace codes by names, for the screen."""
    if book is None:
        return columns
    names = dict(zip(book.codes, book.names, strict=True))
    shown = {name: columns[name] for name in _OF_CLASSES if name in columns}
    return columns | {
        column: [_named(value, names) for value in values] for column, values in shown.items()
    }


def _joined(value: str | list[str], names: Mapping[str, str]) -> str:
    named = _named(value, names)
    return named if isinstance(named, str) else _BETWEEN.join(named)


def _named(value: str | list[str], names: Mapping[str, str]) -> str | list[str]:
    if isinstance(value, str):
        return names.get(value, value)
    return [names.get(one, one) for one in value]
