"""Users, their passwords and their tokens; only hashes of passwords and tokens are stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import delete, insert, null, select, update
from sqlalchemy.sql import Executable

from satc.errors import DataError
from satc.workbench.messages import Message
from satc.workbench.model.clock import now
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.people.invitations import remove_invitations_by
from satc.workbench.store.people.members import MANAGER, end_management, role_in
from satc.workbench.store.people.new_users import insert_user


class User(NamedTuple):
    """A person who may log in.

    `subject` is their account at the company's login, once they have used it.
    """

    name: str
    role: str
    password: str  # an argon2 hash, or a text that no password fits
    created_at: str
    subject: str | None = None


class Access(NamedTuple):
    """A user, and their role in the project that a request names; None means no access."""

    user: User
    role: str | None


def add_user(
    store: Store,
    name: str,
    role: str,
    password: str,
    *,
    projects: Mapping[str, str] | None = None,
    subject: str | None = None,
) -> None:
    """Store a new user, with their roles in projects; None means the only project of the store.

    Raises
    ------
    DataError
        If the name is taken or looks like that of another user, or a project does not exist.
    """
    with store.writing() as connection:
        insert_user(connection, name, role, password, projects=projects, subject=subject)


def list_users(store: Store) -> list[User]:
    """Return all users, by name."""
    with store.reading() as connection:
        rows = connection.execute(select(schema.users).order_by(schema.users.c.name)).all()
    return [User(*row) for row in rows]


def find_user(store: Store, name: str) -> User | None:
    """Return the user of this name, or None."""
    found = find_access(store, name)
    return None if found is None else found.user


def find_access(store: Store, name: str, project: str | None = None) -> Access | None:
    """Return the user of this name with their role in a project, or None."""
    return _access(store, schema.users.c.name == name, project) if _is_text(name) else None


def find_by_subject(store: Store, subject: str) -> User | None:
    """Return the user of an account at the company's login, or None."""
    found = _access(store, schema.users.c.subject == subject, None) if _is_text(subject) else None
    return None if found is None else found.user


def link_user(store: Store, name: str, subject: str) -> None:
    """Let an account at the company's login be this user."""
    mine = update(schema.users).where(schema.users.c.name == name)
    with store.writing() as connection:
        _must_change(connection, mine.values(subject=subject), name)


def change_user(store: Store, name: str, *, keep_manager: bool = False, **values: str) -> None:
    """Change the role or the password of a user.

    Invitations by somebody who is no longer a manager end, and so do their rights as a manager of
    single projects. With `keep_manager`, a change that leaves no manager is refused.

    Raises
    ------
    DataError
        If there is no such user, or no manager would be left.
    """
    changed = update(schema.users).where(schema.users.c.name == name).values(values)
    with store.writing() as connection:
        _must_change(connection, changed, name)
        if "role" in values and values["role"] != MANAGER:
            remove_invitations_by(connection, name)
            end_management(connection, name)
        if keep_manager:
            _check_manager(connection)


def remove_user(store: Store, name: str, *, keep_manager: bool = False) -> None:
    """Delete a user and the invitations by them; their decisions stay in the record."""
    with store.writing() as connection:
        _must_change(connection, delete(schema.users).where(schema.users.c.name == name), name)
        invitations = schema.invitations
        connection.execute(delete(invitations).where(invitations.c.name == name))
        remove_invitations_by(connection, name)
        if keep_manager:
            _check_manager(connection)


def add_token(store: Store, name: str, digest: str) -> None:
    """Store a token, by which programs act for a user."""
    with store.writing() as connection:
        connection.execute(insert(schema.tokens).values(digest=digest, user=name, created_at=now()))


def remove_tokens(store: Store, name: str) -> int:
    """Delete the tokens of a user; return how many there were."""
    with store.writing() as connection:
        gone = delete(schema.tokens).where(schema.tokens.c.user == name)
        return int(connection.execute(gone).rowcount)


def token_access(store: Store, digest: str, project: str | None = None) -> Access | None:
    """Return the user of a token with their role in a project; None if the token is unknown."""
    owner = select(schema.tokens.c.user).where(schema.tokens.c.digest == digest)
    return _access(store, schema.users.c.name == owner.scalar_subquery(), project)


def secret(store: Store, name: str, fresh: str) -> str:
    """Return a secret of this store; on the first call, store `fresh` and return it."""
    table = schema.secrets
    with store.writing() as connection:
        known = connection.execute(select(table.c.value).where(table.c.name == name)).scalar()
        if known is None:
            connection.execute(insert(table).values(name=name, value=fresh))
        return fresh if known is None else str(known)


def replace_secret(store: Store, name: str, value: str) -> None:
    """Replace a secret of this store; whatever was derived from the former one ends."""
    table = schema.secrets
    with store.writing() as connection:
        connection.execute(delete(table).where(table.c.name == name))
        connection.execute(insert(table).values(name=name, value=value))


def _access(store: Store, condition: Any, project: str | None) -> Access | None:
    """Return the user that a condition describes; a manager has access to every project."""
    in_project = null() if project is None or not _is_text(project) else role_in(project)
    query = select(*schema.users.c, in_project).where(condition)
    with store.reading() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        return None
    user = User(*row[:-1])
    return Access(user, user.role if project is None or user.role == MANAGER else row[-1])


def _is_text(value: str) -> bool:
    """Whether a database can hold a text: PostgreSQL knows no NUL."""
    return "\0" not in value


def _must_change(connection: Transaction, statement: Executable, name: str) -> None:
    if connection.execute(statement).rowcount == 0:
        names = ", ".join(connection.execute(select(schema.users.c.name)).scalars())
        raise DataError(f"there must be a user {name!r}, but there is {names or 'nobody'}")


def _check_manager(connection: Transaction) -> None:
    managers = select(schema.users.c.name).where(schema.users.c.role == MANAGER).limit(1)
    if connection.execute(managers).scalar() is None:
        raise DataError(Message("manage.one_manager_stays"))
