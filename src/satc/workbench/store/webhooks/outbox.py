"""The outbox: messages that wait to be sent, and the last ones that were.

A message is added in the transaction of the event that it tells of. So there is a message exactly
if there is an event, whatever fails afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import delete, insert, or_, select, update

from satc.workbench.model.clock import later, now
from satc.workbench.model.webhooks.messages import new_id, written
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.webhooks.addresses import Webhook, webhook_of

KEPT = 100  # sent messages of each webhook
_ERROR_LENGTH = 300
_OUTBOX = schema.webhook_outbox
_ADD = insert(_OUTBOX)


class Delivery(NamedTuple):
    """A message to one webhook; `status` and `error` are those of the last attempt."""

    number: int
    webhook: int
    id: str
    kind: str
    body: str
    state: str  # waiting, delivered, given up
    created_at: str
    tried_at: str | None
    n_tried: int
    status: int | None
    error: str | None


class Outcome(NamedTuple):
    """The result of one attempt: the status of the answer, or why there is none."""

    status: int | None
    error: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether the receiver has taken the message."""
        return self.status is not None and 200 <= self.status < 300


def add_messages(
    connection: Transaction, webhooks: Iterable[Webhook], kind: str, data: dict[str, Any]
) -> None:
    """Add one message to each webhook."""
    name = None
    for webhook in webhooks:
        name = name or _project_name(connection, webhook.project)
        message = new_id()
        row = {"webhook": webhook.key, "id": message, "kind": kind, "state": "waiting"}
        row |= {"body": written(message, kind, name, data), "created_at": now()}
        connection.execute(_ADD, row | {"n_tried": 0})


def _project_name(connection: Transaction, project: int) -> str:
    table = schema.projects
    return str(connection.execute(select(table.c.name).where(table.c.key == project)).scalar_one())


def due_webhooks(store: Store, longest_wait: float, key: int | None = None) -> list[Webhook]:
    """Return the webhooks that have messages and need not wait any more; or the one with a key.

    Nobody waits longer than `longest_wait` seconds; a later time was written when the clock of this
    machine was wrong.
    """
    hooks = schema.webhooks
    is_due = or_(
        hooks.c.retry_at.is_(None),
        hooks.c.retry_at <= now(),
        hooks.c.retry_at > later(longest_wait),
    )
    has_messages = select(_OUTBOX.c.number).where(
        _OUTBOX.c.webhook == hooks.c.key, _OUTBOX.c.state == "waiting"
    )
    query = select(hooks).where(is_due, has_messages.exists()).order_by(hooks.c.key)
    if key is not None:
        query = query.where(hooks.c.key == key)
    with store.reading() as connection:
        return [webhook_of(row) for row in connection.execute(query)]


def retry_all(store: Store) -> None:
    """Let no webhook wait: whoever has started the server may have mended the network."""
    hooks = schema.webhooks
    with store.writing(durable=False) as connection:
        connection.execute(update(hooks).where(hooks.c.retry_at.is_not(None)).values(retry_at=None))


def first_waiting(store: Store, webhook: int) -> Delivery | None:
    """Return the oldest message that waits to be sent to a webhook."""
    query = select(_OUTBOX).where(_OUTBOX.c.webhook == webhook, _OUTBOX.c.state == "waiting")
    with store.reading() as connection:
        row = connection.execute(query.order_by(_OUTBOX.c.number).limit(1)).one_or_none()
    return None if row is None else Delivery(*row)


def recent_deliveries(store: Store, webhook: int, limit: int = 50) -> list[Delivery]:
    """Return the last messages to a webhook, the newest first; those that wait are among them."""
    query = select(_OUTBOX).where(_OUTBOX.c.webhook == webhook)
    with store.reading() as connection:
        rows = connection.execute(query.order_by(_OUTBOX.c.number.desc()).limit(limit)).all()
    return [Delivery(*row) for row in rows]


def note_success(store: Store, delivery: Delivery, outcome: Outcome) -> None:
    """Note that a message was taken; old ones that were sent are deleted."""
    hooks = schema.webhooks
    with store.writing(durable=False) as connection:  # if this is lost, the message is sent again
        _note_attempt(connection, delivery, outcome, "delivered")
        own = update(hooks).where(hooks.c.key == delivery.webhook)
        connection.execute(own.values(n_failed=0, failing_since=None, retry_at=None))
        _forget_old(connection, delivery.webhook)


def note_failure(
    store: Store, delivery: Delivery, outcome: Outcome, wait: float, give_up_after: float
) -> None:
    """Note a failed attempt: the next one is in `wait` seconds.

    Messages that are older than `give_up_after` seconds are given up.
    """
    hooks = schema.webhooks
    with store.writing(durable=False) as connection:
        _note_attempt(connection, delivery, outcome, "waiting")
        own = update(hooks).where(hooks.c.key == delivery.webhook)
        connection.execute(own.values(n_failed=hooks.c.n_failed + 1, retry_at=later(wait)))
        first = own.where(hooks.c.failing_since.is_(None))
        connection.execute(first.values(failing_since=now()))
        old = update(_OUTBOX).where(
            _OUTBOX.c.webhook == delivery.webhook,
            _OUTBOX.c.state == "waiting",
            _OUTBOX.c.created_at < later(-give_up_after),
        )
        if connection.execute(old.values(state="given up")).rowcount:
            _forget_old(connection, delivery.webhook)


def _note_attempt(
    connection: Transaction, delivery: Delivery, outcome: Outcome, state: str
) -> None:
    error = None if outcome.error is None else outcome.error[:_ERROR_LENGTH]
    values = {"state": state, "tried_at": now(), "status": outcome.status, "error": error}
    own = update(_OUTBOX).where(_OUTBOX.c.number == delivery.number)
    connection.execute(own.values(n_tried=_OUTBOX.c.n_tried + 1, **values))


def _forget_old(connection: Transaction, webhook: int) -> None:
    """Delete all but the last messages that are not waiting."""
    done = (_OUTBOX.c.webhook == webhook, _OUTBOX.c.state != "waiting")
    newest = select(_OUTBOX.c.number).where(*done).order_by(_OUTBOX.c.number.desc())
    last = connection.execute(newest.offset(KEPT).limit(1)).scalar()
    if last is not None:
        connection.execute(delete(_OUTBOX).where(*done, _OUTBOX.c.number <= last))
