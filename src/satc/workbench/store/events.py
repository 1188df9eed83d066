"""Append events, and read them from any number on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import insert, select

from satc.workbench.model.events import Event
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction

_BATCH = 5_000
_APPEND = insert(schema.events)  # built once: building it takes longer than running it
_FIELDS = ("at", "who", "kind", "document", "labels", "lease", "details")


def append(connection: Transaction, project: int, event: Event) -> Event:
    """Append an event; return it with its number."""
    row = {
        "project": project,
        "at": event.at,
        "who": event.who,
        "kind": event.kind,
        "document": event.document,
        "labels": None if event.labels is None else list(event.labels),
        "lease": event.lease,
        "details": event.details,
    }
    number = connection.execute(_APPEND, row).inserted_primary_key
    if number is None:
        raise RuntimeError("the database gave no number to an event")
    return Event(int(number[0]), *(getattr(event, name) for name in _FIELDS))


def read_events(store: Store, project: int, after: int = 0) -> Iterator[Event]:
    """Iterate over the events after a number, in order."""
    table = schema.events
    while True:
        query = select(table).where(table.c.project == project, table.c.number > after)
        with store.reading() as connection:
            rows: Sequence[Any] = connection.execute(
                query.order_by(table.c.number).limit(_BATCH)
            ).all()
        yield from map(_event, rows)
        if len(rows) < _BATCH:
            return
        after = rows[-1].number


def _event(row: Any) -> Event:
    labels = None if row.labels is None else tuple(row.labels)
    return Event(
        row.number, row.at, row.who, row.kind, row.document, labels, row.lease, row.details
    )
