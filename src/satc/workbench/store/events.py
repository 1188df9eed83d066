"""Append events, each with its link of the chain, and read them from any number on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import func, select

from satc.workbench.model.events import Event
from satc.workbench.store import schema
from satc.workbench.store.changes.events import NewEvents
from satc.workbench.store.connection import Store, Transaction

_BATCH = 5_000


def append(connection: Transaction, project: int, event: Event) -> Event:
    """Append an event at once; return it with its number."""
    new = NewEvents(connection, project)
    new.add(event)
    return new.write()[0]


def read_events(store: Store, project: int, after: int = 0) -> Iterator[Event]:
    """Iterate over the events after a number, in order."""
    table = schema.events
    while True:
        query = select(table).where(table.c.project == project, table.c.number > after)
        with store.reading() as connection:
            rows: Sequence[Any] = connection.execute(
                query.order_by(table.c.number).limit(_BATCH)
            ).all()
        yield from map(event_of, rows)
        if len(rows) < _BATCH:
            return
        after = rows[-1].number


def count_kinds(store: Store, project: int, after: int = 0) -> tuple[Counter[str], int]:
    """Count the events after a number by their kind; also return the number of the last event."""
    table = schema.events
    query = select(table.c.kind, func.count(), func.max(table.c.number)).group_by(table.c.kind)
    with store.reading() as connection:
        rows = connection.execute(
            query.where(table.c.project == project, table.c.number > after)
        ).all()
    last = max((int(row[2]) for row in rows), default=after)
    return Counter({str(row[0]): int(row[1]) for row in rows}), last


def event_of(row: Any) -> Event:
    """Return the event of a row."""
    labels = None if row.labels is None else tuple(row.labels)
    return Event(
        row.number, row.at, row.who, row.kind, row.document, labels, row.lease, row.details
    )
