"""Compare the search index with the texts of the documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from sqlalchemy import Connection, select, text

from satc.workbench.store import schema
from satc.workbench.store.search.indexing import vector
from satc.workbench.store.search.tables import N_ROWS, TABLE, first_row, is_sqlite
from satc.workbench.store.search.terms import terms_of

_BATCH = 2_000
_Uses = tuple[int, int, int]  # of a term: how often, the sum of documents, and with places

# The places of terms, from the index itself; a contentless index holds nothing else.
_VOCABULARY = f"CREATE VIRTUAL TABLE temp.used_terms USING fts5vocab(main, {TABLE}, instance)"
_SQLITE = text(
    'SELECT term, count(*), sum(doc - :first), sum((doc - :first + 1) * ("offset" + 1)) '
    "FROM temp.used_terms WHERE doc >= :first AND doc < :end GROUP BY term"
)
_KNOWN = "unnest(CAST(:entries AS bigint[]), CAST(:vectors AS text[])) AS known (entry, terms)"
_SAME = text(
    f"SELECT count(*) FROM {_KNOWN} JOIN {TABLE} AS stored "  # noqa: S608
    "ON stored.entry = known.entry AND stored.terms = CAST(known.terms AS tsvector)"
)
_COUNT = text(
    f"SELECT count(*) FROM {TABLE} WHERE entry >= :first AND entry < :end"  # noqa: S608
)


def index_agrees(connection: Connection, project: int) -> bool:
    """Whether the index of a project has exactly the terms of its documents."""
    texts = _texts(connection, project)
    first = first_row(project)
    span = {"first": first, "end": first + N_ROWS}
    if is_sqlite(connection):
        return _uses_in_texts(texts) == _uses_in_index(connection, span)
    n_documents = 0
    while batch := list(islice(texts, _BATCH)):
        n_documents += len(batch)
        entries = [first + position for position, _ in batch]
        known = {"entries": entries, "vectors": [vector(terms) for _, terms in batch]}
        if connection.execute(_SAME, known).scalar() != len(batch):
            return False
    return bool(connection.execute(_COUNT, span).scalar() == n_documents)


def _uses_in_texts(texts: Iterator[tuple[int, list[str]]]) -> dict[str, _Uses]:
    uses: dict[str, _Uses] = defaultdict(lambda: (0, 0, 0))
    for position, terms in texts:
        for place, term in enumerate(terms, start=1):
            n, documents, places = uses[term]
            uses[term] = n + 1, documents + position, places + (position + 1) * place
    return dict(uses)


def _uses_in_index(connection: Connection, span: dict[str, int]) -> dict[str, _Uses]:
    connection.exec_driver_sql(_VOCABULARY)
    try:
        rows = connection.execute(_SQLITE, span).all()
    finally:
        connection.exec_driver_sql("DROP TABLE temp.used_terms")
    return {term: (n, documents, places) for term, n, documents, places in rows}


def _texts(connection: Connection, project: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the position and the terms of each document."""
    table = schema.documents
    last = -1
    while True:
        query = select(table.c.position, table.c.id, table.c.text)
        query = query.where(table.c.project == project, table.c.position > last)
        rows: Sequence[tuple[int, str, str]] = [
            (row.position, row.id, row.text)
            for row in connection.execute(query.order_by(table.c.position).limit(_BATCH))
        ]
        if not rows:
            return
        yield from ((position, terms_of(f"{id_}\n{body}")) for position, id_, body in rows)
        last = rows[-1][0]
