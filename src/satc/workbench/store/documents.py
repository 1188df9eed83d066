"""The documents of a project: ids, texts, further columns and ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, insert, select, update

from satc.errors import DataError
from satc.files import Documents
from satc.files.values import jsonable
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction

_BATCH = 2_000


class StoredDocument(NamedTuple):
    """A document as the user's file has it, with its rank."""

    position: int
    id: str
    text: str
    columns: dict[str, Any]
    rank: int | None = None


def add_documents(connection: Transaction, project: int, first: int, documents: Documents) -> None:
    """Store documents; the first of them gets the position `first`."""
    rows: list[dict[str, Any]] = [
        {
            "project": project,
            "position": first + k,
            "id": _storable(documents.ids[k]),
            "text": _storable(documents.texts[k]),
            "columns": {_storable(name): _storable(v[k]) for name, v in documents.extra.items()},
        }
        for k in range(len(documents))
    ]
    if rows:
        connection.execute(insert(schema.documents), rows)
        counted = update(schema.projects).where(schema.projects.c.key == project)
        connection.execute(counted.values(n_documents=first + len(rows)))


def set_ranks(
    connection: Transaction, project: int, ranked: Iterable[tuple[int, int, float]]
) -> None:
    """Store the rank and the utility of documents: (position, rank, utility)."""
    table = schema.documents
    statement = (
        update(table)
        .where(table.c.project == project, table.c.position == bindparam("at"))
        .values(rank=bindparam("its_rank"), utility=bindparam("its_utility"))
    )
    rows = [{"at": at, "its_rank": rank, "its_utility": utility} for at, rank, utility in ranked]
    for start in range(0, len(rows), _BATCH):
        connection.execute(statement, rows[start : start + _BATCH])


_DOCUMENT = select(schema.documents).where(
    schema.documents.c.project == bindparam("in_project"),
    schema.documents.c.position == bindparam("at"),
)


def get_document(store: Store, project: int, position: int) -> StoredDocument:
    """Return one document."""
    with store.reading() as connection:
        found = connection.execute(_DOCUMENT, {"in_project": project, "at": position})
        return _document(found.one())


def snippets(
    store: Store, project: int, positions: Sequence[int], length: int
) -> dict[int, tuple[str, str]]:
    """Return the id and the first characters of some documents, by position."""
    table = schema.documents
    query = select(table.c.position, table.c.id, func.substr(table.c.text, 1, length))
    query = query.where(table.c.project == project, table.c.position.in_(positions))
    with store.reading() as connection:
        return {position: (id_, text) for position, id_, text in connection.execute(query)}


def iter_documents(store: Store, project: int) -> Iterator[StoredDocument]:
    """Iterate over the documents by position; only one batch is in memory at a time."""
    table = schema.documents
    last = -1
    while True:
        query = select(table).where(table.c.project == project, table.c.position > last)
        with store.reading() as connection:
            rows = connection.execute(query.order_by(table.c.position).limit(_BATCH)).all()
        if not rows:
            return
        yield from map(_document, rows)
        last = rows[-1].position


def ids_of(store: Store, project: int) -> list[str]:
    """Return the ids of the documents by position."""
    table = schema.documents
    query = select(table.c.id).where(table.c.project == project).order_by(table.c.position)
    with store.reading() as connection:
        return list(connection.execute(query).scalars())


def positions_of(store: Store, project: int) -> dict[str, int]:
    """Return the position of each document, by its id."""
    return {identity: position for position, identity in enumerate(ids_of(store, project))}


def read_column(store: Store, project: int, name: str) -> list[Any]:
    """Return the values of one of the user's columns by position; None where there is none.

    Raises
    ------
    DataError
        If no document has the column; the message names the columns that exist.
    """
    table = schema.documents
    query = select(table.c.columns).where(table.c.project == project).order_by(table.c.position)
    with store.reading() as connection:
        rows = list(connection.execute(query).scalars())
    names = list(dict.fromkeys(column for row in rows for column in row))
    if name not in names:
        known = ", ".join(map(repr, names)) or "no columns besides id and text"
        raise DataError(f"the documents must have the column {name!r}, but have {known}")
    return [row.get(name) for row in rows]


def _document(row: Any) -> StoredDocument:
    return StoredDocument(row.position, row.id, row.text, row.columns, row.rank)


def _storable(value: Any) -> Any:
    """Return a value that both databases can hold: JSON, without NUL characters."""
    return jsonable(value, text=_without_nul, unknown=lambda other: _without_nul(str(other)))


def _without_nul(text: str) -> str:
    return text.replace("\x00", "\ufffd")
