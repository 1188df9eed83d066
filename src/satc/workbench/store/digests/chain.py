"""The chain of a project's events: each digest covers the one before it.

A changed, removed or inserted event breaks the chain from there on. The table `chains` has the
number and the digest of the last event, so that a missing end is found as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, insert, select, update

from satc.workbench.model.events import Event
from satc.workbench.store import schema
from satc.workbench.store.connection import Transaction
from satc.workbench.store.digests.free_texts import Seals, covered_details
from satc.workbench.store.digests.persons import add_person
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
_chains, _persons = schema.chains, schema.persons
_HEAD = (
    select(_chains.c.n_events, _chains.c.number, _chains.c.digest, _persons.c.commitment)
    .select_from(
        _chains.outerjoin(
            _persons,
            and_(_persons.c.project == _chains.c.project, _persons.c.name == bindparam("person")),
        )
    )
    .where(_chains.c.project == bindparam("of_project"))
    .with_for_update(of=_chains)
)
_MOVE = update(_chains).where(_chains.c.project == bindparam("of_project"))


def begin_chain(connection: Transaction, project: int) -> None:
    """Store the head of a project without events."""
    connection.execute(insert(_chains).values(project=project, **Head()._asdict()))


def read_head(connection: Transaction, project: int) -> Head | None:
    """Return the stored head, or None."""
    row = connection.execute(_HEAD, {"of_project": project, "person": ""}).one_or_none()
    return None if row is None else Head(*row[:3])


def head_for(connection: Transaction, project: int, who: str) -> tuple[Head, str]:
    """Return the head, which nobody else moves until the commit, and a person's commitment."""
    row: Any = connection.execute(_HEAD, {"of_project": project, "person": who}).one()
    return Head(*row[:3]), row.commitment or add_person(connection, project, who)


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
