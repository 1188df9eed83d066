"""Labels in the cells of a stored table: one name, a list of names, or a text that joins them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ibis

from satc.errors import DataError
from satc.scale.engines import Engine

LABEL, LABELS = "label", "labels"


@dataclass(frozen=True, eq=False)
class LabelCells:
    """A column of labels: names, or lists of names. A cell that is null holds nothing."""

    column: Any
    is_list: bool

    @property
    def is_given(self) -> Any:
        """Expression: whether a cell holds labels, which may be none."""
        return self.column.notnull()

    def has(self, name: str) -> Any:
        """Expression: whether a label has this name."""
        return self.column.contains(name) if self.is_list else self.column == name

    @property
    def n_labels(self) -> Any:
        """Expression: the number of different labels; null where nothing is given."""
        if self.is_list:
            return self.column.unique().length()
        return ibis.ifelse(self.is_given, 1, ibis.null("int64"))

    def unknown(self, classes: Sequence[str]) -> Any:
        """Expression: a label that is none of the classes, or null."""
        nothing = ibis.null("string")
        if not self.is_list:
            return ibis.ifelse(self.column.notin(classes), self.column, nothing)
        others = self.column.filter(lambda name: name.notin(classes))
        return ibis.ifelse(others.length() > 0, others[0], nothing)


def label_cells(table: Any, name: str, separator: str, *, joined: bool) -> LabelCells:
    """Return the labels in a column; a text is one name or, where they are `joined`, several."""
    column = table[name]
    kind = column.type()
    if kind.is_array() and kind.value_type.is_string():
        return LabelCells(column, True)
    if not kind.is_string():
        raise DataError(f"{name} must hold names or lists of names, but holds {kind}")
    return LabelCells(split(column, separator), True) if joined else LabelCells(column, False)


def labels_in(table: Any, separator: str) -> LabelCells | None:
    """Return the labels of a table, in `label` or `labels`; None if it has no such column."""
    for name in (LABELS, LABEL):
        if name in table.columns:
            return label_cells(table, name, separator, joined=name == LABELS)
    return None


def split(text: Any, separator: str) -> Any:
    """Expression: the parts of a text, without the spaces around them and without empty ones."""
    parts = text.re_split(re.escape(separator)).map(stripped)
    return parts.filter(lambda part: part != "")


def stripped(text: Any) -> Any:
    """Expression: a text without the spaces around it.

    `strip` of Ibis 12 also removes the letters v and f on Spark, which does not know the escapes
    for vertical tabs and form feeds.
    """
    return text.re_replace(r"^\s+|\s+$", "")


def refuse_first(engine: Engine, faulty: Any, explain: Callable[[dict[str, Any]], str]) -> None:
    """Raise an error about the first row of a table of faults, if there is one."""
    for row in engine.run(faulty.limit(1)).to_pylist():
        raise DataError(explain(row))


def not_a_class(name: str, document: Any) -> str:
    """Return the message about a label that is none of the classes."""
    return f"labels must be among the classes, but one is {name!r}, of document {document!r}"


def two_rows(kind: str, document: Any, n: int) -> str:
    """Return the message about a document that has several rows."""
    return f"{kind} must have one row for each document, but document {document!r} has {n}"


def not_one_label(kind: str, document: Any, whose: str = "") -> str:
    """Return the message about a document that has not exactly one label."""
    return (
        f"{kind} must have one label for each document in a single-label task, but document "
        f"{document!r} has none or several{whose}; task='multi-label' allows any number"
    )
