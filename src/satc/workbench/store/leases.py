"""Leases: which person has which document open, until when, and what they were shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
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


@dataclass
class LeaseChanges:
    """Leases that one transaction opens, extends and closes; `write_leases` stores the changes."""

    opened: dict[str, Lease] = field(default_factory=dict)
    extended: dict[str, str] = field(default_factory=dict)  # the new ends of stored leases
    closed: dict[str, None] = field(default_factory=dict)  # stored leases, the first closed first


def add_lease(changes: LeaseChanges, lease: Lease) -> None:
    """Open a lease."""
    changes.opened[lease.lease] = lease


def extend_lease(changes: LeaseChanges, lease: Lease) -> None:
    """Let a lease expire later; `lease` has the new end."""
    if lease.lease in changes.opened:
        changes.opened[lease.lease] = lease
    else:
        changes.extended[lease.lease] = lease.expires_at


def remove_leases(changes: LeaseChanges, leases: Iterable[str]) -> None:
    """Close leases by their ids."""
    for lease in leases:
        changes.extended.pop(lease, None)
        if changes.opened.pop(lease, None) is None:
            changes.closed[lease] = None


# Statements are built once: building one takes longer than running it.
_ADD = insert(schema.leases)
_REMOVE = delete(schema.leases).where(schema.leases.c.lease == bindparam("closed"))
_EXTEND = update(schema.leases).where(schema.leases.c.lease == bindparam("extended"))


def write_leases(connection: Transaction, project: int, changes: LeaseChanges) -> None:
    """Store changes; closed leases are deleted first, which makes room for the new ones."""
    if changes.closed:
        connection.execute(_REMOVE, [{"closed": lease} for lease in changes.closed])
    if changes.opened:
        rows = [
            {"project": project, **vars(lease), "shown": lease.shown.as_json()}
            for lease in changes.opened.values()
        ]
        connection.execute(_ADD, rows)
    if changes.extended:
        ends = [{"extended": k, "expires_at": end} for k, end in changes.extended.items()]
        connection.execute(_EXTEND, ends)


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
