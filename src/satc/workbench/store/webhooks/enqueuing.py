"""Which messages an event or a change of the state of a project causes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from sqlalchemy import select, update

from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.model.webhooks.messages import ALARM, DECISION, DECISIONS, FINISHED
from satc.workbench.model.webhooks.messages import decision_data as data_of
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.events import event_of
from satc.workbench.store.webhooks.addresses import Webhook, webhooks_of
from satc.workbench.store.webhooks.outbox import add_messages

_TOLD = (*DECISIONS, events.UNDO)


def enqueue(connection: Transaction, project: int, stored: Iterable[Event]) -> None:
    """Add the messages about events, in the transaction that has stored them."""
    told = [event for event in stored if event.kind in _TOLD]
    webhooks = webhooks_of(connection, project, DECISION) if told else []
    for event in told if webhooks else ():
        if (data := _decision_data(connection, project, event)) is not None:
            add_messages(connection, webhooks, DECISION, data)


def _decision_data(connection: Transaction, project: int, event: Event) -> dict[str, Any] | None:
    table = schema.events
    of_document = (table.c.project == project, table.c.document == event.document)
    query = select(table).where(*of_document, table.c.number < event.number)
    past = [event_of(row) for row in connection.execute(query.order_by(table.c.number))]
    labels = {label for one in (*past, event) for label in one.labels or ()}
    documents = schema.documents
    its_id = select(documents.c.id).where(
        documents.c.project == project, documents.c.position == event.document
    )
    document = str(connection.execute(its_id).scalar_one())
    return data_of(past, event, document, _names(connection, project, labels))


def _names(connection: Transaction, project: int, labels: Iterable[int]) -> dict[int, str]:
    classes = schema.classes
    own = select(classes.c.position, classes.c.name).where(
        classes.c.project == project, classes.c.position.in_(sorted(labels))
    )
    return {int(position): str(name) for position, name in connection.execute(own)}


State = Literal["finished", "alarm"]
_COLUMNS = {FINISHED: "was_finished", ALARM: "was_alarmed"}


def knows(webhook: Webhook, state: State) -> bool:
    """Whether a webhook was told that the project is finished, or of the alarm."""
    return bool(getattr(webhook, _COLUMNS[state]))


def tell_state(store: Store, project: int, state: State, data: dict[str, Any]) -> None:
    """Tell those that do not know it that a project is finished, or that there is an alarm.

    The messages and the note that they were told are one transaction, so each is told once.
    """
    with store.writing() as connection:
        webhooks = webhooks_of(connection, project, state)
        untold = [one for one in webhooks if not knows(one, state)]
        _note(connection, untold, state, True)
        add_messages(connection, untold, state, data)


def note_unfinished(store: Store, project: int) -> None:
    """Note that a project is not finished any more; when it is finished again, it is told again."""
    with store.writing() as connection:
        _note(connection, webhooks_of(connection, project, FINISHED), FINISHED, False)


def _note(connection: Transaction, webhooks: Iterable[Webhook], state: State, value: bool) -> None:
    table = schema.webhooks
    keys = [one.key for one in webhooks]
    connection.execute(update(table).where(table.c.key.in_(keys)).values({_COLUMNS[state]: value}))
