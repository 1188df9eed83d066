"""Compare the events of a project with their chain: which were changed, removed or inserted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, select

from satc.workbench.model.events import Event
from satc.workbench.store import schema
from satc.workbench.store.digests.chain import Head, event_digest
from satc.workbench.store.digests.faults import UNREADABLE, Fault, unreadable
from satc.workbench.store.digests.persons import Person, read_persons
from satc.workbench.store.events import event_of

_BATCH = 5_000
_BROKEN = "breaks the chain: it was changed, or an event before it was removed or inserted"


def log_faults(
    connection: Connection, project: int, events: list[Event] | None = None
) -> Iterator[Fault]:
    """Yield the faults of people and events, in the order of the numbers of events.

    The events that were read are added to the list `events`, if it is given.
    """
    try:
        persons = read_persons(connection, project)
        head = _stored_head(connection, project)
    except UNREADABLE as error:
        yield unreadable("people", "the list of people", error)
        return
    for person in persons.values():
        if not person.is_proven:
            yield Fault("people", f"the name {person.name!r}", "does not match its commitment")
    last = Head()
    for row in _events(connection, project):
        if isinstance(row, Fault):
            yield row
            return
        yield from _event_faults(row, last, persons)
        if events is not None:
            with suppress(*UNREADABLE):  # is a fault already
                events.append(event_of(row))
        last = last.after(row.number, row.digest)
    if head != last:
        yield Fault("events", *_wrong_end(head, last))


def _stored_head(connection: Connection, project: int) -> Head | None:
    table = schema.chains
    query = select(table.c.n_events, table.c.number, table.c.digest)
    row = connection.execute(query.where(table.c.project == project)).one_or_none()
    return None if row is None else Head(*row)


def _event_faults(row: Any, before: Head, persons: dict[str, Person]) -> Iterator[Fault]:
    place = f"event {row.number}"
    person = persons.get(row.who)
    if person is None:
        yield Fault("events", place, f"is by {row.who!r}, whom the list of people does not have")
        return
    try:
        digest = event_digest(before.digest, event_of(row), person.commitment, row.free_texts)
    except UNREADABLE as error:
        yield unreadable("events", place, error)
        return
    if digest != row.digest or row.number <= before.number:
        yield Fault("events", place, _BROKEN)


def _wrong_end(head: Head | None, last: Head) -> tuple[str, str]:
    """Return the place and the problem of a chain whose last event is not the stored one."""
    found = f"the log ends with event {last.number} ({last.n_events:,} events)"
    if head is None:
        return found, "but the end of its chain is not stored"
    return found, f"but must end with event {head.number} ({head.n_events:,} events)"


def _events(connection: Connection, project: int) -> Iterator[Any]:
    """Yield the rows of events, up to the first one that cannot be read, which is a fault."""
    table, last, batch = schema.events, 0, _BATCH
    while True:
        query = select(table).where(table.c.project == project, table.c.number > last)
        try:
            rows: Sequence[Any] = connection.execute(
                query.order_by(table.c.number).limit(batch)
            ).all()
        except UNREADABLE as error:
            if batch == 1:
                yield unreadable("events", f"the event after number {last}", error)
                return
            batch = 1  # find the first one that cannot be read
            continue
        yield from rows
        if len(rows) < batch:
            return
        last = rows[-1].number
