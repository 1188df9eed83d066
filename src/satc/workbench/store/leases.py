"""Leases: which person has which document open, until when, and what they were shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update

from satc.workbench.model.shown import Shown
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction


@dataclass(frozen=True)
class Lease:
    """A document that one person has open; `lease` is its id."""

    lease: str
    document: int
    who: str
    expires_at: str
    shown: Shown
    opened_at: str | None = None  # None if an earlier version of satc has stored the lease


# Statements are built once: building one takes longer than running it.
_ADD = insert(schema.leases)
_REMOVE = delete(schema.leases).where(schema.leases.c.lease == bindparam("closed"))


def add_lease(connection: Transaction, project: int, lease: Lease) -> None:
    """Store a lease."""
    row = {"project": project, **vars(lease), "shown": lease.shown.as_json()}
    connection.execute(_ADD, row)


def remove_leases(connection: Transaction, leases: list[str]) -> None:
    """Delete leases by their ids."""
    for lease in leases:
        connection.execute(_REMOVE, {"closed": lease})


def extend_lease(connection: Transaction, lease: str, expires_at: str) -> None:
    """Let a lease expire later."""
    row = update(schema.leases).where(schema.leases.c.lease == lease)
    connection.execute(row.values(expires_at=expires_at))


def read_leases(store: Store, project: int) -> list[Lease]:
    """Return all leases, the first to expire first."""
    table = schema.leases
    query = select(table).where(table.c.project == project).order_by(table.c.expires_at)
    with store.reading() as connection:
        rows = connection.execute(query).all()
    return [_lease(row) for row in rows]


def _lease(row: Any) -> Lease:
    shown = Shown.from_json(row.shown)
    return Lease(row.lease, row.document, row.who, row.expires_at, shown, row.opened_at)
