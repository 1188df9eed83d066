"""Add documents to the search index, and remove those of a project that is not complete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, select, text

from satc.workbench.store import schema
from satc.workbench.store.search.tables import TABLE, first_row, is_sqlite
from satc.workbench.store.search.terms import terms_of

_BATCH = 1_000
_SQLITE = f"INSERT INTO {TABLE} (rowid, terms) VALUES (?, ?)"  # noqa: S608
_POSTGRESQL = text(
    f"INSERT INTO {TABLE} (entry, terms) VALUES (:entry, CAST(:terms AS tsvector))"  # noqa: S608
)
_SQLITE_REMOVAL = f"INSERT INTO {TABLE} ({TABLE}, rowid, terms) VALUES ('delete', ?, ?)"  # noqa: S608
_POSTGRESQL_REMOVAL = text(f"DELETE FROM {TABLE} WHERE entry >= :first AND entry < :end")  # noqa: S608
_PLACES = tuple(map(str, range(1, 2**14)))  # PostgreSQL counts places up to here
# The index gets many terms at once, which takes less than half the time.
_FOR_LARGE_INDEX = (
    "SET LOCAL gin_pending_list_limit = '64MB'",
    "SET LOCAL work_mem = '256MB'",
)


class Searchable(NamedTuple):
    """A document, as the index needs it."""

    position: int
    id: str
    text: str


def search_terms(identity: str, document: str) -> str:
    """Return the terms by which a document is found, with spaces between them."""
    return " ".join(terms_of(f"{identity}\n{document}"))


def index_documents(connection: Connection, project: int, documents: Iterable[Searchable]) -> None:
    """Add documents to the index."""
    index_terms(
        connection, project, [(one.position, search_terms(one.id, one.text)) for one in documents]
    )


def index_terms(connection: Connection, project: int, terms: Sequence[tuple[int, str]]) -> None:
    """Add documents to the index, by their positions and their terms."""
    if not terms:
        return
    first = first_row(project)
    if is_sqlite(connection):
        connection.exec_driver_sql(_SQLITE, [(first + place, found) for place, found in terms])
        return
    for setting in _FOR_LARGE_INDEX:
        connection.exec_driver_sql(setting)
    connection.execute(
        _POSTGRESQL,
        [{"entry": first + place, "terms": vector(found.split())} for place, found in terms],
    )


def remove_terms(connection: Connection, project: int, terms: Sequence[tuple[int, str]]) -> None:
    """Remove documents from SQLite's index, by the positions and terms that it got."""
    if is_sqlite(connection):
        first = first_row(project)
        rows = [(first + place, found) for place, found in terms]
        connection.exec_driver_sql(_SQLITE_REMOVAL, rows)


def remove_all_documents(connection: Connection, project: int) -> None:
    """Remove all documents of a project from PostgreSQL's index."""
    between = {"first": first_row(project), "end": first_row(project + 1)}
    connection.execute(_POSTGRESQL_REMOVAL, between)


def index_stored(connection: Connection) -> None:
    """Add all documents of all projects to the index, for a store of an earlier version."""
    table = schema.documents
    columns = (table.c.position, table.c.id, table.c.text)
    for project in connection.execute(select(schema.projects.c.key)).scalars().all():
        last = -1
        while True:
            query = select(*columns).where(table.c.project == project, table.c.position > last)
            rows = connection.execute(query.order_by(table.c.position).limit(_BATCH)).all()
            if not rows:
                break
            index_documents(connection, project, [Searchable(*row) for row in rows])
            last = rows[-1].position


def vector(terms: list[str]) -> str:
    """Return a `tsvector` as PostgreSQL writes it; terms have no quotes or backslashes.

    >>> vector(["a", "b", "a"])
    "'a':1,3 'b':2"
    """
    places: dict[str, str] = {}
    for term, place in zip(terms, _PLACES, strict=False):
        places[term] = f"{places[term]},{place}" if term in places else place
    for term in terms[len(_PLACES) :]:
        places.setdefault(term, _PLACES[-1])
    return " ".join([f"'{term}':{listed}" for term, listed in places.items()])
