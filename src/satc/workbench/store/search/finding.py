"""Find the documents that have what a query asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text

from satc.workbench.store.connection import Store
from satc.workbench.store.search.query import Phrase, Query
from satc.workbench.store.search.tables import TABLE, first_row

# The answer is one text, because 100,000 rows would take several times as long to read.
_SQLITE = text(
    f"SELECT group_concat(rowid - :first) FROM {TABLE} "  # noqa: S608
    f"WHERE {TABLE} MATCH :query AND rowid >= :first AND rowid < :end"
)
_POSTGRESQL = text(
    f"SELECT CAST(array_agg(entry - :first) AS text) FROM {TABLE} "  # noqa: S608
    "WHERE terms @@ CAST(:query AS tsquery) AND entry >= :first AND entry < :end"
)


def find_documents(store: Store, project: int, query: Query) -> NDArray[np.int64]:
    """Return the positions of the documents that have all phrases of a query."""
    if not query.phrases:
        return np.empty(0, dtype=np.int64)
    values: dict[str, Any] = {"first": first_row(project), "end": first_row(project + 1)}
    with store.reading() as connection:
        if store.is_sqlite:
            found = connection.execute(_SQLITE, values | {"query": _sqlite_syntax(query)})
        else:
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            found = connection.execute(_POSTGRESQL, values | {"query": _postgresql_syntax(query)})
        listed = found.scalar_one() or ""
    return np.fromstring(listed.strip("{}"), dtype=np.int64, sep=",")


def _sqlite_syntax(query: Query) -> str:
    """Return a query in the syntax of FTS5; terms have no quotes."""

    def phrase(one: Phrase) -> str:
        return f'"{" ".join(one.terms)}"{" *" if one.is_prefix else ""}'

    return " AND ".join(map(phrase, query.phrases))


def _postgresql_syntax(query: Query) -> str:
    """Return a query in the syntax of `tsquery`; terms have no quotes or backslashes."""

    def phrase(one: Phrase) -> str:
        terms = " <-> ".join(f"'{term}'" for term in one.terms)
        return f"({terms}{':*' if one.is_prefix else ''})"

    return " & ".join(map(phrase, query.phrases))
