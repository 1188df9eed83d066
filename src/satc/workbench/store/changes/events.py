"""New events of one transaction: numbered at once, and stored together, each with its digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import insert

from satc.workbench.model.events import Event
from satc.workbench.store import schema
from satc.workbench.store.connection import Transaction
from satc.workbench.store.digests.chain import Head, event_digest, lock_head, move_head
from satc.workbench.store.digests.free_texts import sealed_texts
from satc.workbench.store.digests.persons import commitments

_APPEND = insert(schema.events)  # built once: building it takes longer than running it


class NewEvents:
    """The events that a transaction appends to the log of a project."""

    def __init__(self, connection: Transaction, project: int) -> None:
        self._connection = connection
        self._project = project
        self._head: Head | None = None  # as it is stored
        self._waiting: list[Event] = []

    def add(self, event: Event) -> Event:
        """Return an event with its number; `write` stores it."""
        if self._head is None:
            self._head = lock_head(self._connection, self._project)
        event = replace(event, number=self._head.number + len(self._waiting) + 1)
        self._waiting.append(event)
        return event

    def write(self) -> list[Event]:
        """Store the events that were added since the last call, and return them."""
        events, self._waiting = self._waiting, []
        if events and self._head is not None:
            rows, self._head = self._chained(self._head, events)
            self._connection.execute(_APPEND, rows)
            move_head(self._connection, self._project, self._head)
        return events

    def _chained(self, head: Head, events: Sequence[Event]) -> tuple[list[dict[str, Any]], Head]:
        """Return the rows of events, and the head of the chain after them."""
        people = commitments(self._connection, self._project, {event.who for event in events})
        rows = []
        for event in events:
            seals = sealed_texts(event.details)
            digest = event_digest(head.digest, event, people[event.who], seals)
            head = head.after(event.number, digest)
            rows.append(self._row(event) | {"free_texts": seals, "digest": digest})
        return rows, head

    def _row(self, event: Event) -> dict[str, Any]:
        labels = None if event.labels is None else list(event.labels)
        return {"project": self._project, **vars(event), "labels": labels}
