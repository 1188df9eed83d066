"""Refuse a project that does not match its digests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sqlalchemy import Connection, select

from satc.workbench.model.events import Event
from satc.workbench.store import schema
from satc.workbench.store.backup.snapshot import snapshot
from satc.workbench.store.connection import Store
from satc.workbench.store.digests.content import array_faults, document_faults, project_faults
from satc.workbench.store.digests.faults import WAY_ON, DamagedError, Fault
from satc.workbench.store.digests.log import log_faults

RECOMPUTED = ("fitted", "fitted_from")  # arrays that have digests of their own (`stored_fit`)


def digest_faults(
    connection: Connection, project: int, events: list[Event] | None = None
) -> Iterator[Fault]:
    """Yield everything in a project that does not match its digest; see `log_faults`."""
    return chain(
        project_faults(connection, project),
        document_faults(connection, project),
        array_faults(connection, project, RECOMPUTED),
        log_faults(connection, project, events),
    )


def check_digests(store: Store, name: str) -> list[Event]:
    """Refuse a project of which something was changed after it was stored; return its events.

    Raises
    ------
    DamagedError
        Names the first document, array or event that does not match its digest.
    """
    events: list[Event] = []
    with snapshot(store) as connection:
        table = schema.projects
        key = connection.execute(select(table.c.key).where(table.c.name == name)).scalar_one()
        fault = next(digest_faults(connection, key, events), None)
    if fault is not None:
        said = f"{store.location}: project {name!r} is damaged: {fault}; {WAY_ON}"
        raise DamagedError(said, str(fault))
    return events
