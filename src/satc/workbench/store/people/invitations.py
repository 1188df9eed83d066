"""Invitations: links by which people set their first password, or a new one, once.

The store knows the SHA-256 digest of the secret in a link, never the secret.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from sqlalchemy import and_, delete, insert, or_, select, update

from satc.errors import DataError
from satc.workbench.messages import Message
from satc.workbench.model.clock import later, now
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.people.members import ANNOTATOR, known_projects
from satc.workbench.store.people.new_users import check_free, insert_user

Kind = Literal["new", "reset"]  # a new user, or a new password for a user
_KEPT_SECONDS = 30 * 24 * 3600  # for so long a used or expired link is recognised


class Invitation(NamedTuple):
    """An invitation of one person."""

    digest: str
    kind: Kind
    name: str
    role: str
    invited_by: str
    created_at: str
    expires_at: str
    used_at: str | None
    projects: list[str] | None = None  # of a new user; None means the only project of the store

    @property
    def state(self) -> Literal["open", "used", "expired"]:
        """Whether the link can still be used."""
        if self.used_at is not None:
            return "used"
        return "open" if self.expires_at >= now() else "expired"


def add_invitation(store: Store, invitation: Invitation) -> None:
    """Store an invitation; an earlier one of the same person that was not used is deleted.

    Raises
    ------
    DataError
        If there is a user of this name, or of one that looks like it; or, for a new password, if
        there is none.
    """
    table = schema.invitations
    unused = and_(table.c.name == invitation.name, table.c.used_at.is_(None))
    with store.writing() as connection:
        _check_user(connection, invitation)
        old = table.c.expires_at < later(-_KEPT_SECONDS)
        connection.execute(delete(table).where(or_(unused, old)))
        connection.execute(insert(table).values(invitation._asdict()))


def find_invitation(store: Store, digest: str) -> Invitation | None:
    """Return the invitation of a link, or None."""
    with store.reading() as connection:
        return _find(connection, digest)


def list_invitations(store: Store) -> list[Invitation]:
    """Return the invitations that were not used, by name."""
    table = schema.invitations
    query = select(table).where(table.c.used_at.is_(None)).order_by(table.c.name)
    with store.reading() as connection:
        return [_invitation(row) for row in connection.execute(query)]


def remove_invitations(store: Store, name: str) -> int:
    """Delete the invitations of a person that were not used; return how many there were."""
    table = schema.invitations
    unused = delete(table).where(table.c.name == name, table.c.used_at.is_(None))
    with store.writing() as connection:
        return int(connection.execute(unused).rowcount)


def remove_invitations_by(connection: Transaction, inviter: str) -> None:
    """Delete the invitations that a person has made and that were not used."""
    table = schema.invitations
    connection.execute(
        delete(table).where(table.c.invited_by == inviter, table.c.used_at.is_(None))
    )


def accept_invitation(store: Store, digest: str, password: str) -> Invitation | None:
    """Use an invitation: create its user, or change the password, which is an argon2 hash.

    Returns None if the invitation is not open; then nothing has changed.

    Raises
    ------
    DataError
        If there is a user of this name in the meantime; or, for a new password, no more.
    """
    with store.writing() as connection:
        found = _find(connection, digest)
        if found is None or found.state != "open" or not _mark_used(connection, digest):
            return None
        _check_user(connection, found)
        users = schema.users
        if found.kind == "new":
            roles = _roles(connection, found.projects)
            insert_user(connection, found.name, found.role, password, projects=roles)
        else:
            own = update(users).where(users.c.name == found.name)
            connection.execute(own.values(password=password))
        return found


def _roles(connection: Transaction, projects: list[str] | None) -> dict[str, str] | None:
    """Return the roles of a new person in those of their projects that still exist."""
    if projects is None:
        return None
    return dict.fromkeys(known_projects(connection, projects), ANNOTATOR)


def _mark_used(connection: Transaction, digest: str) -> bool:
    """Mark an invitation as used; False if somebody was faster."""
    table = schema.invitations
    mine = update(table).where(table.c.digest == digest, table.c.used_at.is_(None))
    return connection.execute(mine.values(used_at=now())).rowcount == 1


def _check_user(connection: Transaction, invitation: Invitation) -> None:
    if invitation.kind == "new":
        check_free(connection, invitation.name)
        return
    users = schema.users
    query = select(users.c.name).where(users.c.name == invitation.name)
    if connection.execute(query).scalar() is None:
        raise DataError(Message("manage.no_such_person", name=invitation.name))


def _find(connection: Transaction, digest: str) -> Invitation | None:
    table = schema.invitations
    row = connection.execute(select(table).where(table.c.digest == digest)).one_or_none()
    return None if row is None else _invitation(row)


def _invitation(row: object) -> Invitation:
    return Invitation(*(getattr(row, name) for name in Invitation._fields))
