"""Write the digests of a store that an earlier version of satc has made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, bindparam, insert, select, update

from satc.workbench.model.events import Event
from satc.workbench.store import schema
from satc.workbench.store.connection import Transaction
from satc.workbench.store.digests.chain import Head, event_digest
from satc.workbench.store.digests.free_texts import sealed_texts
from satc.workbench.store.digests.persons import add_person
from satc.workbench.store.digests.project_row import seal_classes
from satc.workbench.store.digests.sealing import array_digest, document_digest, rank_digest

_BATCH = 2_000


def fill_digests(connection: Transaction) -> None:
    """Write the digests of all projects."""
    for project in connection.execute(select(schema.projects.c.key)).scalars().all():
        seal_classes(connection, project)
        _fill_documents(connection, project)
        _fill_arrays(connection, project)
        _fill_events(connection, project)


def _fill_documents(connection: Transaction, project: int) -> None:
    table = schema.documents
    columns = (table.c.id, table.c.text, table.c.columns, table.c.rank, table.c.utility)
    for rows in _batches(connection, project, table.c.position, *columns):
        digests = [
            {
                "at": row.position,
                "its_digest": document_digest(row.position, row.id, row.text, row.columns),
                "its_rank": None
                if row.rank is None
                else rank_digest(row.position, row.rank, row.utility),
            }
            for row in rows
        ]
        statement = (
            update(table)
            .where(table.c.project == project, table.c.position == bindparam("at"))
            .values(digest=bindparam("its_digest"), rank_digest=bindparam("its_rank"))
        )
        connection.execute(statement, digests)


def _fill_arrays(connection: Transaction, project: int) -> None:
    table = schema.arrays
    query = select(table.c.name, table.c.part).where(table.c.project == project)
    for name, part in connection.execute(query).all():
        own = (table.c.project == project, table.c.name == name, table.c.part == part)
        data = connection.execute(select(table.c.data).where(*own)).scalar_one()
        digest = array_digest(name, part, data)
        connection.execute(update(table).where(*own).values(digest=digest))


def _fill_events(connection: Transaction, project: int) -> None:
    table = schema.events
    names = ("at", "who", "kind", "document", "labels", "lease", "details")
    columns = [table.c[name] for name in names]
    people: dict[str, str] = {}
    head = Head()
    statement = (
        update(table)
        .where(table.c.project == project, table.c.number == bindparam("at_number"))
        .values(digest=bindparam("its_digest"), free_texts=bindparam("its_texts"))
    )
    for rows in _batches(connection, project, table.c.number, *columns):
        changed = []
        for row in rows:
            if row.who not in people:
                people[row.who] = add_person(connection, project, row.who)
            event, seals = Event(*row), sealed_texts(row.details)
            digest = event_digest(head.digest, event, people[row.who], seals)
            head = head.after(row.number, digest)
            changed.append({"at_number": row.number, "its_digest": digest, "its_texts": seals})
        connection.execute(statement, changed)
    connection.execute(insert(schema.chains).values(project=project, **head._asdict()))


def _batches(
    connection: Transaction, project: int, key: Any, *columns: ColumnElement[Any]
) -> Iterator[Any]:
    """Yield the rows of a project in the order of a key, which is their first column."""
    last = -1
    while True:
        query = select(key, *columns).where(key.table.c.project == project, key > last)
        rows = connection.execute(query.order_by(key).limit(_BATCH)).all()
        if not rows:
            return
        yield rows
        last = rows[-1][0]
