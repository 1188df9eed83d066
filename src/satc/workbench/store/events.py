"""Append events, each with its link of the chain, and read them from any number on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import func, insert, select

from satc.workbench.model.events import Event
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.digests.chain import event_digest, head_for, move_head
from satc.workbench.store.digests.free_texts import sealed_texts

_BATCH = 5_000
_APPEND = insert(schema.events)  # built once: building it takes longer than running it


def append(connection: Transaction, project: int, event: Event) -> Event:
    """Append an event; return it with its number."""
    head, person = head_for(connection, project, event.who)
    event = replace(event, number=head.number + 1)
    seals = sealed_texts(event.details)
    digest = event_digest(head.digest, event, person, seals)
    row = {
        "project": project,
        "number": event.number,
        "at": event.at,
        "who": event.who,
        "kind": event.kind,
        "document": event.document,
        "labels": None if event.labels is None else list(event.labels),
        "lease": event.lease,
        "details": event.details,
        "free_texts": seals,
        "digest": digest,
    }
    connection.execute(_APPEND, row)
    move_head(connection, project, head.after(event.number, digest))
    return event


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
