"""Projects that are being written: nobody sees them until they are complete.

Their name in the database begins with a prefix that the name of a project cannot have. The last
transaction replaces it by the project's own name. If a process ends before that, what it has
written is removed later. In PostgreSQL a lock tells whether the process that writes is alive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from secrets import token_hex
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from satc.errors import DataError
from satc.workbench.model.clock import now
from satc.workbench.model.settings import Settings
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.creating.short_transactions import ShortTransactions
from satc.workbench.store.digests.chain import begin_chain
from satc.workbench.store.digests.project_row import seal_classes
from satc.workbench.store.projects import UNFINISHED
from satc.workbench.store.search.indexing import remove_all_documents, remove_terms, search_terms

_LOCKS = 0x73617463  # "satc"; the second key is that of the project
_DOCUMENTS = 200  # that are read at once, to be removed
_ROW = 100  # bytes, about, of a row without its texts


class Unfinished(NamedTuple):
    """A project that is not complete: its key, and the name that it is to have."""

    key: int
    name: str


@contextmanager
def begin_project(store: Store, name: str) -> Iterator[int]:
    """Create a project that nobody sees; give its key, and hold its lock in the block."""
    row = {
        "name": f"{UNFINISHED}{token_hex(8)}:{name}",
        "settings": {},
        "n_documents": 0,
        "created_at": now(),
    }
    if store.is_sqlite:
        with store.writing(durable=False) as connection:
            key = _insert(connection, row)
        yield key
        return
    with store.reading() as session:
        key = _insert(session, row)
        session.exec_driver_sql(f"SELECT pg_advisory_lock({_LOCKS}, {key})")
        session.commit()
        try:
            yield key
        finally:
            _unlock(session, key)


def complete_project(
    connection: Transaction, key: int, name: str, settings: Settings, n_documents: int
) -> None:
    """Give a project its name and its settings, so that everybody sees it."""
    values = {
        "name": name,
        "settings": settings.as_dict(),
        "n_documents": n_documents,
        "created_at": now(),
    }
    connection.execute(update(schema.projects).where(schema.projects.c.key == key).values(values))
    seal_classes(connection, key)
    begin_chain(connection, key)


def unfinished_projects(store: Store) -> list[Unfinished]:
    """Return the projects that are not complete."""
    table = schema.projects
    query = select(table.c.key, table.c.name).where(table.c.name.startswith(UNFINISHED))
    with store.reading() as connection:
        rows = connection.execute(query.order_by(table.c.key)).all()
    return [Unfinished(key, name.removeprefix(UNFINISHED).partition(":")[2]) for key, name in rows]


def remove_unfinished(transactions: ShortTransactions, keys: Sequence[int]) -> None:
    """Remove projects that are not complete, unless the process that writes them is alive."""
    for key in keys:
        with _unused(transactions.store, key) as is_unused:
            if is_unused:
                remove_project(transactions, key)


def remove_project(transactions: ShortTransactions, key: int) -> None:
    """Remove an unfinished project and everything that was written of it."""
    store = transactions.store
    transactions.write(_documents(store, key), _size, lambda to, some: _remove(to, key, some))
    if not store.is_sqlite:
        transactions.run(lambda to: remove_all_documents(to, key))
    arrays, classes, projects = schema.arrays, schema.classes, schema.projects
    for name, part in _arrays(store, key):
        its_part = delete(arrays).where(arrays.c.project == key)
        its_part = its_part.where(arrays.c.name == name, arrays.c.part == part)
        transactions.run(partial(Transaction.execute, statement=its_part))
    transactions.run(lambda to: to.execute(delete(classes).where(classes.c.project == key)))
    is_unfinished = projects.c.name.startswith(UNFINISHED)
    row = delete(projects).where(projects.c.key == key, is_unfinished)
    transactions.run(lambda to: to.execute(row), durable=True)


def _insert(connection: Connection, row: dict[str, object]) -> int:
    key = connection.execute(insert(schema.projects).values(row)).inserted_primary_key
    if key is None:
        raise DataError(f"the database gave no key to project {row['name']!r}")
    return int(key[0])


@contextmanager
def _unused(store: Store, key: int) -> Iterator[bool]:
    """Take the lock of an unfinished project, and say whether that was possible."""
    if store.is_sqlite:
        yield True
        return
    with store.reading() as session:
        query = f"SELECT pg_try_advisory_lock({_LOCKS}, {key})"
        is_ours = bool(session.exec_driver_sql(query).scalar_one())
        session.commit()
        try:
            yield is_ours
        finally:
            _unlock(session, key)


def _unlock(session: Connection, key: int) -> None:
    """Release the lock of a project now; the end of the session would release it a little later."""
    with suppress(Exception):  # the connection may be lost, and the lock with it
        session.exec_driver_sql(f"SELECT pg_advisory_unlock({_LOCKS}, {key})")
        session.commit()
    with suppress(Exception):
        session.invalidate()


def _documents(store: Store, key: int) -> Iterator[tuple[int, str]]:
    """Iterate over the positions and terms of documents that are to be removed."""
    table = schema.documents
    last = -1
    while True:
        query = select(table.c.position, table.c.id, table.c.text)
        query = query.where(table.c.project == key, table.c.position > last)
        with store.reading() as connection:
            rows = connection.execute(query.order_by(table.c.position).limit(_DOCUMENTS)).all()
        if not rows:
            return
        yield from ((row.position, search_terms(row.id, row.text)) for row in rows)
        last = rows[-1].position


def _size(document: tuple[int, str]) -> int:
    return _ROW + 2 * len(document[1])


def _remove(connection: Transaction, key: int, documents: list[tuple[int, str]]) -> None:
    table = schema.documents
    first, last = documents[0][0], documents[-1][0]
    remove_terms(connection, key, documents)
    where = table.c.project == key, table.c.position.between(first, last)
    connection.execute(delete(table).where(*where))


def _arrays(store: Store, key: int) -> list[tuple[str, int]]:
    table = schema.arrays
    query = select(table.c.name, table.c.part).where(table.c.project == key)
    with store.reading() as connection:
        return [(name, part) for name, part in connection.execute(query)]
