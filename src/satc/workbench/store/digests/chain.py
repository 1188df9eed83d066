"""The chain of a project's events: each digest covers the one before it.

A changed, removed or inserted event breaks the chain from there on. The table `chains` has the
number and the digest of the last event, so that a missing end is found as well.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import bindparam, insert, select, update

from satc.workbench.model.events import Event
from satc.workbench.store import schema
from satc.workbench.store.connection import Transaction
from satc.workbench.store.digests.free_texts import Seals, covered_details
from satc.workbench.store.digests.sealing import BEFORE_FIRST, digest_of


class Head(NamedTuple):
    """The end of a chain: how many events there are, and the last one."""

    n_events: int = 0
    number: int = 0
    digest: str = BEFORE_FIRST

    def after(self, number: int, digest: str) -> Head:
        """Return the head after one more event."""
        return Head(self.n_events + 1, number, digest)


# Statements are built once: building one takes longer than running it.
_chains = schema.chains
_HEAD = (
    select(_chains.c.n_events, _chains.c.number, _chains.c.digest)
    .where(_chains.c.project == bindparam("of_project"))
    .with_for_update()
)
_MOVE = update(_chains).where(_chains.c.project == bindparam("of_project"))


def begin_chain(connection: Transaction, project: int) -> None:
    """Store the head of a project without events."""
    connection.execute(insert(_chains).values(project=project, **Head()._asdict()))


def read_head(connection: Transaction, project: int) -> Head | None:
    """Return the stored head, or None."""
    row = connection.execute(_HEAD, {"of_project": project}).one_or_none()
    return None if row is None else Head(*row)


def lock_head(connection: Transaction, project: int) -> Head:
    """Return the head, which nobody else moves until the commit."""
    return Head(*connection.execute(_HEAD, {"of_project": project}).one())


def move_head(connection: Transaction, project: int, head: Head) -> None:
    """Store a new head."""
    connection.execute(_MOVE, {"of_project": project, **head._asdict()})


def event_digest(previous: str, event: Event, person: str, seals: Seals | None) -> str:
    """Return the digest of an event; `person` is the commitment to the name of its author."""
    return digest_of(
        previous,
        event.number,
        event.at,
        person,
        event.kind,
        event.document,
        event.labels,
        event.lease,
        covered_details(event.details, seals),
    )
