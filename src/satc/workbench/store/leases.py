"""Which documents are with whom, until when, and what they were shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update

from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction


@dataclass(frozen=True)
class Lease:
    """A document that one person has open."""

    lease: str
    document: int
    who: str
    expires_at: str
    shown: dict[str, Any]


# Statements are built once: making them anew costs more than running them.
_ADD = insert(schema.leases)
_REMOVE = delete(schema.leases).where(schema.leases.c.lease == bindparam("closed"))


def add_lease(connection: Transaction, project: int, lease: Lease) -> None:
    """Note that somebody has opened a document."""
    connection.execute(_ADD, {"project": project, **vars(lease)})


def remove_leases(connection: Transaction, leases: list[str]) -> None:
    """Note that documents are closed."""
    for lease in leases:
        connection.execute(_REMOVE, {"closed": lease})


def extend_lease(connection: Transaction, lease: str, expires_at: str) -> None:
    """Note that a document stays open for longer."""
    row = update(schema.leases).where(schema.leases.c.lease == lease)
    connection.execute(row.values(expires_at=expires_at))


def read_leases(store: Store, project: int) -> list[Lease]:
    """Return all leases, the first to expire first."""
    table = schema.leases
    columns = (table.c.lease, table.c.document, table.c.who, table.c.expires_at, table.c.shown)
    query = select(*columns).where(table.c.project == project).order_by(table.c.expires_at)
    with store.reading() as connection:
        return [Lease(*row) for row in connection.execute(query)]
