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
from satc.workbench.store.digests.project_row import seal_project
from satc.workbench.store.digests.sealing import document_digest, rank_digest
from satc.workbench.store.search.indexing import index_terms, search_terms

_BATCH = 2_000


class StoredDocument(NamedTuple):
    """A document as the user's file has it, with its rank."""

    position: int
    id: str
    text: str
    columns: dict[str, Any]
    rank: int | None = None


class StorableDocument(NamedTuple):
    """A document as the database gets it, with the terms by which it is found."""

    id: str
    text: str
    columns: dict[str, Any]
    terms: str

    @property
    def size(self) -> int:
        """How many bytes it has, about."""
        return 200 + 2 * len(self.text) + len(self.terms)


class NewDocument(NamedTuple):
    """A document with its position and its rank."""

    position: int
    rank: int | None
    utility: float | None
    content: StorableDocument


def storable_documents(documents: Documents) -> Iterator[StorableDocument]:
    """Iterate over documents as they are stored."""
    for k in range(len(documents)):
        identity, text = _storable(documents.ids[k]), _storable(documents.texts[k])
        columns = {_storable(name): _storable(v[k]) for name, v in documents.extra.items()}
        yield StorableDocument(identity, text, columns, search_terms(identity, text))


def put_documents(connection: Transaction, project: int, documents: list[NewDocument]) -> None:
    """Store documents, and add them to the search index."""
    rows = [
        {
            "project": project,
            "position": one.position,
            "id": one.content.id,
            "text": one.content.text,
            "columns": one.content.columns,
            "rank": one.rank,
            "utility": one.utility,
            "digest": document_digest(one.position, *one.content[:3]),
            "rank_digest": one.rank and rank_digest(one.position, one.rank, one.utility),
        }
        for one in documents
    ]
    if rows:
        connection.execute(insert(schema.documents), rows)
        index_terms(connection, project, [(one.position, one.content.terms) for one in documents])


def add_documents(connection: Transaction, project: int, first: int, documents: Documents) -> None:
    """Store documents without ranks; the first of them gets the position `first`."""
    found = enumerate(storable_documents(documents), start=first)
    put_documents(connection, project, [NewDocument(k, None, None, one) for k, one in found])
    if len(documents):
        counted = update(schema.projects).where(schema.projects.c.key == project)
        connection.execute(counted.values(n_documents=first + len(documents)))
        seal_project(connection, project)


def set_ranks(
    connection: Transaction, project: int, ranked: Iterable[tuple[int, int, float]]
) -> None:
    """Store the rank and the utility of documents: (position, rank, utility)."""
    table = schema.documents
    statement = (
        update(table)
        .where(table.c.project == project, table.c.position == bindparam("at"))
        .values(
            rank=bindparam("its_rank"),
            utility=bindparam("its_utility"),
            rank_digest=bindparam("its_digest"),
        )
    )
    rows = [
        {
            "at": at,
            "its_rank": rank,
            "its_utility": utility,
            "its_digest": rank_digest(at, rank, utility),
        }
        for at, rank, utility in ranked
    ]
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


_DOCUMENTS = select(schema.documents).where(
    schema.documents.c.project == bindparam("in_project"),
    schema.documents.c.position.in_(bindparam("positions", expanding=True)),
)


def documents_at(
    connection: Transaction, project: int, positions: Iterable[int]
) -> list[StoredDocument]:
    """Return some documents, in any order."""
    asked = {"in_project": project, "positions": list(positions)}
    return [_document(row) for row in connection.execute(_DOCUMENTS, asked)]


def texts_at(store: Store, project: int, positions: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return the id and the text of some documents, by position."""
    table = schema.documents
    query = select(table.c.position, table.c.id, table.c.text)
    query = query.where(table.c.project == project, table.c.position.in_(positions))
    with store.reading() as connection:
        return {position: (id_, text) for position, id_, text in connection.execute(query)}


def iter_texts(store: Store, project: int) -> Iterator[str]:
    """Iterate over the texts by position; only one batch is in memory at a time."""
    table = schema.documents
    last = -1
    while True:
        query = select(table.c.position, table.c.text)
        query = query.where(table.c.project == project, table.c.position > last)
        with store.reading() as connection:
            rows = connection.execute(query.order_by(table.c.position).limit(_BATCH)).all()
        if not rows:
            return
        yield from (row.text for row in rows)
        last = rows[-1].position


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


def lengths_of(store: Store, project: int) -> list[int]:
    """Return the number of characters of each text, by position."""
    table = schema.documents
    query = select(func.length(table.c.text)).where(table.c.project == project)
    with store.reading() as connection:
        return list(connection.execute(query.order_by(table.c.position)).scalars())


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
