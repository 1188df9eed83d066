"""Scores where they are stored: in long form, or as a wide table.

*Long*: a row for each pair, with the columns ``document``, ``class`` and ``score``. *Wide*: a row
for each document, with the column ``document`` and one column per class. Pairs that are not
stored (in a wide table: null) are an error, unless it is stated what they mean: with
``absent=c`` they count as decided negative with confidence c, as if their score were -c.
A document has to be stored with one pair at least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from satc.errors import DataError
from satc.files.matrices import LONG_FORM
from satc.scale.engines import Engine, connect


@dataclass(frozen=True, eq=False)
class StoredScores:
    """A table of scores, its classes in the order of the training side, and its engine."""

    engine: Engine
    table: Any
    classes: tuple[str, ...]
    is_long: bool
    absent: float | None = None

    @cached_property
    def n_documents(self) -> int:
        """How many documents there are; where all pairs are stored, rows need only be counted."""
        if self.is_long and self.absent is not None:
            counted = self.table.aggregate(n=self.table.document.nunique())
        else:
            counted = self.table.aggregate(n=self.table.count())
        rows = int(self.engine.run(counted)["n"][0].as_py())
        if rows == 0:
            raise DataError("scores must hold at least one document, but hold none")
        return -(-rows // len(self.classes)) if self.is_long and self.absent is None else rows


def stored_scores(
    engine: Engine,
    scores: Any,
    *,
    classes: Sequence[str] | None = None,
    absent: float | None = None,
) -> StoredScores:
    """Open scores.

    Parameters
    ----------
    engine : Engine
        From `connect`.
    scores : str or Ibis table
        Parquet files (a path, a directory or a pattern), or a table of the engine's own.
    classes : sequence of str, optional
        The classes in the order of the training side. By default the columns of a wide table in
        their order, or the classes of a long one, sorted.
    absent : float, optional
        The confidence with which a pair that is not stored counts as decided negative.
    """
    table = engine.open(scores) if isinstance(scores, str) else scores
    columns = table.columns
    if "document" not in columns:
        raise DataError(f"scores must have the column 'document', but have {', '.join(columns)}")
    if absent is not None and not (isfinite(absent) and absent > 0):
        raise ValueError(f"absent must be a confidence above 0, but is {absent!r}")
    is_long = "class" in columns or "score" in columns
    if missing := [name for name in LONG_FORM if is_long and name not in columns]:
        raise DataError(
            f"scores must have the columns {', '.join(LONG_FORM)}, but lack {', '.join(missing)}"
        )
    if is_long:
        table = table.select(*LONG_FORM)
        known = _classes(engine, table) if classes is None else tuple(classes)
        return StoredScores(engine, table, known, True, absent)
    return _wide(engine, table, classes, absent)


@contextmanager
def open_scores(
    files: str,
    *,
    classes: Sequence[str] | None,
    engine: str = "duckdb",
    master: str | None = None,
    absent: float | None = None,
    training: object = "the training side",
) -> Iterator[StoredScores]:
    """Open Parquet files of scores on an engine of their own, as long as the block lasts.

    Where `classes` is None, the table has to be wide: the classes of a long one have no order, so
    that `training`, a file perhaps, must name them.
    """
    with connect(engine, master=master) as running:
        table = running.open(files)
        if classes is None and "class" in table.columns:
            raise ValueError(
                f"{training} must name its classes, as Parquet in long form does: those of "
                "stored scores have no order"
            )
        yield stored_scores(running, table, classes=classes, absent=absent)


def _wide(
    engine: Engine, table: Any, classes: Sequence[str] | None, absent: float | None
) -> StoredScores:
    there = tuple(name for name in table.columns if name != "document")
    known = there if classes is None else tuple(classes)
    if missing := [name for name in known if name not in there]:
        raise DataError(f"scores must have a column for each class, but lack {missing[0]!r}")
    if unknown := [name for name in there if name not in known]:
        raise DataError(f"class {unknown[0]!r} has no gains: it is not among the training classes")
    types = table.schema()
    if wrong := [name for name in known if not types[name].is_numeric()]:
        raise DataError(f"scores must be numbers, but column {wrong[0]!r} holds {types[wrong[0]]}")
    return StoredScores(engine, table.select("document", *known), known, False, absent)


def _classes(engine: Engine, table: Any) -> tuple[str, ...]:
    names = engine.run(table.select("class").distinct().order_by("class"))
    return tuple(str(name) for name in names["class"].to_pylist())
