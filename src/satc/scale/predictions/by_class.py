"""Probabilities of classes in one cell, as language models and pipelines give them.

A cell is a record or a map from a class to its probability, as in ``{"refund": 0.8}``, or a list of
records ``{"label": "refund", "score": 0.8}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import ibis

from satc.scale.exact import number


def is_by_class(kind: Any) -> bool:
    """Whether a type of cells holds probabilities by class."""
    if kind.is_map():
        return bool(kind.key_type.is_string() and kind.value_type.is_numeric())
    if kind.is_struct():
        return all(one.is_numeric() or one.is_null() for one in kind.types)
    listed = kind.is_array() and kind.value_type.is_struct()
    return bool(listed and {"label", "score"} <= set(kind.value_type.names))


@dataclass(frozen=True, eq=False)
class ProbabilityCells:
    """A column of probabilities by class."""

    column: Any

    def of(self, name: str) -> Any:
        """Expression: the probability of a class; null if it is not named."""
        kind = self.column.type()
        if kind.is_struct():
            return self._field(name) if name in kind.names else ibis.null("float64")
        if kind.is_map():
            return self.column.get(name).cast("float64")
        same = self.column.filter(lambda one: one["label"] == name)
        return same.map(lambda one: one["score"].cast("float64")).maxs()

    def _field(self, name: str) -> Any:
        return self.column[name].cast("float64")

    @property
    def fields(self) -> tuple[str, ...]:
        """The classes of records; of maps and lists, their cells name them."""
        return tuple(self.column.type().names) if self.column.type().is_struct() else ()

    @property
    def names(self) -> Any:
        """Expression: the list of classes in a cell that is a map or a list."""
        if self.column.type().is_map():
            return self.column.keys()
        return self.column.map(lambda one: one["label"])

    def unknown(self, classes: Sequence[str]) -> Any:
        """Expression: a name that is none of the classes, or null."""
        nothing, kind = ibis.null("string"), self.column.type()
        if kind.is_struct():
            others = [name for name in kind.names if name not in classes]
            found = (ibis.ifelse(self._field(name).notnull(), name, nothing) for name in others)
            return ibis.coalesce(nothing, *found)
        others = self.names.filter(lambda name: name.notin(classes))
        return ibis.ifelse(others.length() > 0, others[0], nothing)

    @property
    def is_repeated(self) -> Any:
        """Expression: whether a class is named twice."""
        if not self.column.type().is_array():
            return ibis.literal(False)
        return (self.names.length() != self.names.unique().length()).fill_null(False)

    def total(self, classes: Sequence[str]) -> Any:
        """Expression: the sum of the probabilities of all classes; NaN if one is no probability."""
        return reduce(add, [self._checked(name).fill_null(0.0) for name in classes])

    def _checked(self, name: str) -> Any:
        p = self.of(name)
        return ibis.ifelse(p.isnull() | p.between(0.0, 1.0), p, number(float("nan")))
