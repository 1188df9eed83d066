"""Vectors of documents that are stored beside the scores, for the contextual methods.

A vector is a list of numbers or, for vectors that are mostly 0, two lists: ``indices``, the
features that are not 0, and ``values``. Vectors are matched with documents by their ids, as texts.
They are checked when they are opened: one aggregation finds an id that comes twice, which would
make two documents of one, and a small join finds out whether any id is that of a document.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from satc.errors import DataError
from satc.scale.engines import Engine

_TRIED = 1_000  # rows of the scores in which a document with a vector is searched first


def open_vectors(engine: Engine, vectors: Any, scores: Any) -> Any:
    """Open vectors, and check that their ids differ, and that one of them is that of a document.

    Parameters
    ----------
    engine : Engine
    vectors : str or Ibis table
        Parquet files, or a table of the engine.
    scores : Ibis table
        The scores beside which they are stored, with the column ``document``.

    Returns
    -------
    Ibis table
        ``id``, a string, ``vector``, a list of numbers, and for terms ``places``.
    """
    if isinstance(vectors, str):
        _check_format(vectors)
        vectors = engine.open(vectors)
    found = _with_names(vectors)
    _refuse_repeated(engine, found)
    _refuse_strangers(engine, found, scores)
    return found


def n_features_of_terms(engine: Engine, vectors: Any) -> int:
    """Return how many features vectors of terms have: one more than the largest index."""
    largest = vectors.aggregate(largest=vectors.places.maxs().max())
    found = engine.run(largest)["largest"][0].as_py()
    return 0 if found is None else int(found) + 1


def _check_format(files: str) -> None:
    """Refuse NumPy's files, which an engine cannot read."""
    if PurePath(files).suffix.lower() in (".npy", ".npz"):
        raise DataError(
            f"vectors beside stored scores must be Parquet files with the column 'id' and one "
            f"column of lists of numbers, or the lists 'indices' and 'values', but are {files!r}"
        )


def _with_names(table: Any) -> Any:
    """Expression: ``id``, ``vector`` and, for terms, ``places``."""
    columns, types = table.columns, table.schema()
    ids = [name for name in ("id", "document") if name in columns]
    lists = [name for name in columns if types[name].is_array()]
    if ids and {"indices", "values"} == set(lists):
        name = table[ids[0]].cast("string")
        return table.select(id=name, vector=table["values"], places=table["indices"])
    if not ids or len(lists) != 1:
        raise DataError(
            "vectors must have the column 'id' or 'document' and one column of lists of numbers, "
            f"or the lists 'indices' and 'values', but have {', '.join(columns)}"
        )
    return table.select(id=table[ids[0]].cast("string"), vector=table[lists[0]])


def _refuse_repeated(engine: Engine, vectors: Any) -> None:
    """Refuse an id that comes twice, and a row without an id."""
    found = vectors.group_by("id").aggregate(n=vectors.count())
    wrong = found.filter((found.n > 1) | found["id"].isnull()).limit(1)
    for row in engine.run(wrong).to_pylist():
        if row["id"] is None:
            raise DataError("vectors must have an id in every row, but a row has none")
        raise DataError(
            f"vectors must have a different id in every row, but {row['id']!r} comes "
            f"{row['n']:,} times"
        )


def _refuse_strangers(engine: Engine, vectors: Any, scores: Any) -> None:
    """Refuse vectors none of which is that of a document.

    The first rows of the scores usually show that some are. Only otherwise all are read.
    """
    documents = scores.select(id=scores.document.cast("string"))
    if _any_of(engine, documents.limit(_TRIED), vectors) or _any_of(engine, documents, vectors):
        return
    own, other = (engine.run(one.select("id").limit(1))["id"] for one in (documents, vectors))
    if len(own):
        raise DataError(
            "vectors must have the ids of documents, but none of them is one: ids are such as "
            f"{other[0].as_py() if len(other) else 'none'!r} there, and such as {own[0].as_py()!r} "
            "among the scores"
        )


def _any_of(engine: Engine, documents: Any, vectors: Any) -> bool:
    """Whether one of the documents has a vector."""
    known = vectors.select("id")
    return len(engine.run(documents.semi_join(known, "id").limit(1))) > 0
