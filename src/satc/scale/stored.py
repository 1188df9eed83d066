"""Scores stored in a table, in long or in wide form, and what is wrong with them.

*Long*: one row for each pair, with the columns ``document``, ``class`` and ``score``. *Wide*: one
row for each document, with the column ``document`` and one column per class. Pairs that are not
stored (null in a wide table) are an error, unless ``absent=c`` is given: then they count as decided
negative with confidence c, as if their score were -c. Every document needs at least one stored
pair. `explain_flaw` says in one sentence why a document cannot be ranked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

from satc.errors import DataError
from satc.files.matrices import LONG_FORM
from satc.scale.engines import Engine, connect
from satc.scale.vectors import open_vectors


@dataclass(frozen=True, eq=False)
class StoredScores:
    """A table of scores, its engine, and its classes in the order of the training arrays."""

    engine: Engine
    table: Any
    classes: tuple[str, ...]
    is_long: bool
    absent: float | None = None
    vectors: Any = None  # a table of `id` and `vector`, which may be beside the scores

    @property
    def pairs(self) -> Any:
        """Expression: document, class, score; in wide form, absent pairs have the score null."""
        if self.is_long:
            return self.table
        return self.table.pivot_longer(list(self.classes), names_to="class", values_to="score")

    @property
    def has_terms(self) -> bool:
        """Whether the vectors are stored as lists of indices and values."""
        return self.vectors is not None and "places" in self.vectors.columns

    @cached_property
    def n_documents(self) -> int:
        """The number of documents; if all pairs are stored, it follows from the number of rows."""
        if self.is_long and self.absent is not None:
            counted = self.table.aggregate(n=self.table.document.nunique())
        else:
            counted = self.table.aggregate(n=self.table.count())
        rows = int(self.engine.run(counted)["n"][0].as_py())
        if rows == 0:
            raise DataError("scores must hold at least one document, but hold none")
        return -(-rows // len(self.classes)) if self.is_long and self.absent is None else rows

    @property
    def quick_n_documents(self) -> int | None:
        """The number of documents; None if nobody has counted them yet and it takes long."""
        if self.is_long and self.absent is not None and "n_documents" not in vars(self):
            return None
        return self.n_documents

    @cached_property
    def smallest_best_score(self) -> float:
        """The smallest of the largest scores of the documents; absent pairs have a score too."""
        pairs = self.pairs
        best = pairs.group_by("document").aggregate(best=pairs.score.cast("float64").max())
        found = self.engine.run(best.aggregate(smallest=best.best.min()))["smallest"][0].as_py()
        smallest = 0.0 if found is None else float(found)
        return smallest if self.absent is None else max(smallest, -self.absent)


def stored_scores(
    engine: Engine,
    scores: Any,
    *,
    classes: Sequence[str] | None = None,
    absent: float | None = None,
    vectors: Any = None,
) -> StoredScores:
    """Open stored scores.

    Parameters
    ----------
    engine : Engine
        From `connect`.
    scores : str or Ibis table
        Parquet files (a path, a directory or a pattern), or a table of the engine.
    classes : sequence of str, optional
        The classes in the order of the training arrays. By default, the columns of a wide table
        in their order, or the sorted classes of a long table.
    absent : float, optional
        The confidence with which a pair that is not stored counts as decided negative.
    vectors : str or Ibis table, optional
        Features of the documents for the contextual methods, such as the embeddings that ``satc
        embed`` writes: the column ``id`` (or ``document``), and one column of lists of numbers. For
        vectors that are mostly 0, such as those of terms, two columns of lists instead:
        ``indices``, the features that are not 0, and ``values``. A document without a vector has no
        similar documents. An id that comes twice is refused, and so are vectors of no document.
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
    if vectors is not None:
        vectors = open_vectors(engine, vectors, table)
    if is_long:
        table = table.select(*LONG_FORM)
        known = _classes(engine, table) if classes is None else tuple(classes)
        return StoredScores(engine, table, known, True, absent, vectors)
    return replace(_wide(engine, table, classes, absent), vectors=vectors)


@contextmanager
def open_scores(
    files: str,
    *,
    classes: Sequence[str] | None,
    engine: str = "duckdb",
    master: str | None = None,
    absent: float | None = None,
    training: object = "the training side",
    vectors: str | None = None,
) -> Iterator[StoredScores]:
    """Start an engine, and open Parquet files of scores on it; close it at the end of the block.

    If `classes` is None, the table must be wide, because the classes of a long table have no order.
    The error message then says that `training`, such as a file name, must name the classes.
    """
    with connect(engine, master=master) as running:
        table = running.open(files)
        if classes is None and "class" in table.columns:
            raise ValueError(
                f"{training} must name its classes, as Parquet in long form does, because the "
                "classes of stored scores in long form have no order"
            )
        yield stored_scores(running, table, classes=classes, absent=absent, vectors=vectors)


def _wide(
    engine: Engine, table: Any, classes: Sequence[str] | None, absent: float | None
) -> StoredScores:
    columns = tuple(name for name in table.columns if name != "document")
    known = columns if classes is None else tuple(classes)
    if missing := [name for name in known if name not in columns]:
        raise DataError(f"scores must have a column for each class, but lack {missing[0]!r}")
    if unknown := [name for name in columns if name not in known]:
        raise DataError(f"class {unknown[0]!r} has no gains: it is not among the training classes")
    types = table.schema()
    if wrong := [name for name in known if not types[name].is_numeric()]:
        raise DataError(f"scores must be numbers, but column {wrong[0]!r} holds {types[wrong[0]]}")
    return StoredScores(engine, table.select("document", *known), known, False, absent)


def _classes(engine: Engine, table: Any) -> tuple[str, ...]:
    names = engine.run(table.select("class").distinct().order_by("class"))
    return tuple(str(name) for name in names["class"].to_pylist())


def explain_flaw(scores: StoredScores, document: Any) -> str:
    """Return what is wrong with the stored pairs of a document."""
    rows = scores.engine.run(scores.table.filter(scores.table.document == document)).to_pydict()
    if document is None:
        return "scores must name the document in every row, but a row has none"
    if scores.is_long:
        names = map(str, rows["class"])
        return _of_pairs(scores, document, list(zip(names, rows["score"], strict=True)))
    pairs = [(name, value) for name in scores.classes for value in rows[name]]
    return _of_pairs(scores, document, pairs)


def _of_pairs(scores: StoredScores, document: Any, pairs: list[tuple[str, Any]]) -> str:
    known = set(scores.classes)
    if scores.absent is not None and not scores.is_long:
        pairs = [(name, score) for name, score in pairs if score is not None]
    for name, _ in pairs:
        if name not in known:
            return f"class {name!r} has no gains: it is not among the training classes"
    for name, score in pairs:
        if score is None and scores.absent is None:
            return (
                f"scores must not be missing, but document {document!r} has none for class {name!r}"
            )
        if score is None or not isfinite(score):
            return (
                f"scores must be finite, but document {document!r} has {score} for class {name!r}"
            )
    for often, times in Counter(name for name, _ in pairs).most_common(1):
        if times > 1:
            return (
                f"scores must have every pair once, but have document {document!r} with class "
                f"{often!r} {times} times"
            )
    if scores.absent is not None:
        return (
            f"scores must have a stored pair for every document, because one of them is its "
            f"label, but document {document!r} has none; a pair with the score "
            f"{-scores.absent:g}, which absent= stands for, is not stored"
        )
    missing = sorted(known - {name for name, _ in pairs})
    return (
        f"scores must have every pair of a document and a class, but lack {document!r} with "
        f"{missing[0] if missing else '?'!r}; with absent=CONFIDENCE absent pairs are negative"
    )
