"""The webhooks of a project: where messages are sent, which ones, and signed with which secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select

from satc.errors import DataError
from satc.workbench.messages import Message
from satc.workbench.model.clock import now
from satc.workbench.model.webhooks.address import parse_address
from satc.workbench.model.webhooks.messages import KINDS
from satc.workbench.model.webhooks.signature import new_secret
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction

MAX_WEBHOOKS = 20  # of one project


@dataclass(frozen=True)
class Webhook:
    """An address to which messages of a project are sent.

    Attributes
    ----------
    kinds : tuple of str
        The kinds of messages.
    was_finished, was_alarmed : bool
        Whether the address knows that the project is finished, and of the alarm.
    n_failed : int
        Failed attempts since the last success.
    failing_since, retry_at : str or None
        The time of the first of them, and of the next attempt.
    """

    key: int
    project: int
    url: str
    kinds: tuple[str, ...]
    secret: str
    created_by: str
    created_at: str
    was_finished: bool
    was_alarmed: bool
    n_failed: int
    failing_since: str | None
    retry_at: str | None


def add_webhook(store: Store, project: int, url: str, kinds: Sequence[str], who: str) -> Webhook:
    """Store a webhook with a new secret; return it.

    Raises
    ------
    DataError
        If the address cannot be used, or if the project has too many webhooks.
    """
    parse_address(url)
    row = {
        "project": project,
        "url": url,
        "kinds": ",".join(_checked(kinds)),
        "secret": new_secret(),
        "created_by": who,
        "created_at": now(),
        "was_finished": False,
        "was_alarmed": False,
        "n_failed": 0,
    }
    with store.writing() as connection:
        if len(webhooks_of(connection, project)) >= MAX_WEBHOOKS:
            raise DataError(Message("webhooks.too_many", n=MAX_WEBHOOKS))
        connection.execute(insert(schema.webhooks), row)
        return webhooks_of(connection, project)[-1]


def _checked(kinds: Sequence[str]) -> list[str]:
    """Return kinds of messages, each once and in the usual order."""
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise ValueError(f"event must be one of {', '.join(KINDS)}, but is {unknown[0]!r}")
    if not kinds:
        raise DataError(Message("webhooks.no_events"))
    return [kind for kind in KINDS if kind in kinds]


# Built once: every decision asks for the webhooks, and building it takes longer than running it.
_OF_PROJECT = (
    select(schema.webhooks)
    .where(schema.webhooks.c.project == bindparam("project"))
    .order_by(schema.webhooks.c.key)
)


def webhooks_of(connection: Transaction, project: int, kind: str | None = None) -> list[Webhook]:
    """Return the webhooks of a project, or those that get messages of one kind."""
    rows = connection.execute(_OF_PROJECT, {"project": project})
    found = map(webhook_of, rows)
    return [one for one in found if kind is None or kind in one.kinds]


def list_webhooks(store: Store, project: int) -> list[Webhook]:
    """Return the webhooks of a project, the oldest first."""
    with store.reading() as connection:
        return webhooks_of(connection, project)


def find_webhook(store: Store, project: int, key: int) -> Webhook | None:
    """Return a webhook of a project, or None."""
    return next((one for one in list_webhooks(store, project) if one.key == key), None)


def remove_webhook(store: Store, project: int, key: int) -> bool:
    """Delete a webhook with its messages; False if the project has no such one."""
    table = schema.webhooks
    own = delete(table).where(table.c.project == project, table.c.key == key)
    with store.writing() as connection:
        return bool(connection.execute(own).rowcount)


def count_waiting(store: Store, key: int) -> int:
    """Return how many messages wait to be sent to a webhook."""
    table = schema.webhook_outbox
    query = select(func.count()).where(table.c.webhook == key, table.c.state == "waiting")
    with store.reading() as connection:
        return int(connection.execute(query).scalar_one())


def webhook_of(row: Any) -> Webhook:
    """Return the webhook of a row of the database."""
    values = dict(row._mapping)
    return Webhook(**values | {"kinds": tuple(values["kinds"].split(","))})
