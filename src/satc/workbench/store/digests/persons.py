"""People in the record: the chain of events covers a commitment to a name, not the name.

A commitment is an HMAC of the name under a random salt. While the salt is stored, it proves the
name. When a person is erased, the salt is deleted: nobody can find the name from the commitment,
and the chain still holds. The pseudonym of an erased person is the beginning of the commitment.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection, Container
from typing import NamedTuple

from sqlalchemy import bindparam, insert, select

from satc.workbench.store import schema
from satc.workbench.store.connection import Transaction

_SALT_BYTES = 32
_PREFIX = "person-"
_SHORTEST = 4  # characters of the commitment in a pseudonym


class Person(NamedTuple):
    """A name in the events of a project; an erased person has a pseudonym and no salt."""

    name: str
    salt: str | None
    commitment: str

    @property
    def is_proven(self) -> bool:
        """Whether the name, or the pseudonym, belongs to the commitment."""
        if self.salt is not None:
            return commitment(self.salt, self.name) == self.commitment
        begin = self.name.removeprefix(_PREFIX)
        is_pseudonym = self.name.startswith(_PREFIX) and len(begin) >= _SHORTEST
        return is_pseudonym and self.commitment.startswith(begin)


def commitment(salt: str, text: str) -> str:
    """Return the HMAC-SHA-256 of a text under a salt.

    >>> commitment("00", "ann")[:8]
    '36cd2759'
    """
    return hmac.digest(salt.encode(), text.encode("utf-8", "surrogatepass"), "sha256").hex()


def new_salt() -> str:
    """Return a random salt."""
    return secrets.token_hex(_SALT_BYTES)


def pseudonym(commitment: str, taken: Container[str]) -> str:
    """Return the pseudonym of a person; it is longer if another person has the short one.

    >>> pseudonym("7f3a99", ()), pseudonym("7f3a99", ["person-7f3a"])
    ('person-7f3a', 'person-7f3a9')
    """
    lengths = range(_SHORTEST, len(commitment) + 1)
    return next(n for k in lengths if (n := _PREFIX + commitment[:k]) not in taken)


_KNOWN = select(schema.persons.c.name, schema.persons.c.commitment).where(
    schema.persons.c.project == bindparam("of_project"),
    schema.persons.c.name.in_(bindparam("names", expanding=True)),
)


def commitments(connection: Transaction, project: int, names: Collection[str]) -> dict[str, str]:
    """Return the commitments to some names; people who are new to the project are stored."""
    found = connection.execute(_KNOWN, {"of_project": project, "names": list(names)})
    known = {str(name): str(proof) for name, proof in found}
    new = {name: add_person(connection, project, name) for name in names if name not in known}
    return known | new


def add_person(connection: Transaction, project: int, name: str) -> str:
    """Store a person with a new salt; return the commitment."""
    salt = new_salt()
    row = Person(name, salt, commitment(salt, name))
    connection.execute(insert(schema.persons).values(project=project, **row._asdict()))
    return row.commitment


def read_persons(connection: Transaction, project: int) -> dict[str, Person]:
    """Return the people of a project by name."""
    table = schema.persons
    query = select(table.c.name, table.c.salt, table.c.commitment)
    rows = connection.execute(query.where(table.c.project == project))
    return {row.name: Person(*row) for row in rows}
