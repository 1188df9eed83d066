"""Which documents are with whom, until when, and what they were shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from satc.workbench.store import schema
from satc.workbench.store.connection import Store


@dataclass(frozen=True)
class Lease:
    """A document that one person has open."""

    lease: str
    document: int
    who: str
    expires_at: str
    shown: dict[str, Any]


def add_lease(connection: Connection, project: int, lease: Lease) -> None:
    """Note that somebody has opened a document."""
    connection.execute(insert(schema.leases).values(project=project, **vars(lease)))


def remove_leases(connection: Connection, leases: list[str]) -> None:
    """Note that documents are closed."""
    if leases:
        connection.execute(delete(schema.leases).where(schema.leases.c.lease.in_(leases)))


def extend_lease(connection: Connection, lease: str, expires_at: str) -> None:
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
