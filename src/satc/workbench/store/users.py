"""Users, their passwords and their tokens; only hashes of passwords and tokens are stored."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import delete, insert, select, update
from sqlalchemy.sql import Executable

from satc.errors import DataError
from satc.workbench.model.clock import now
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, StoreConflictError


class User(NamedTuple):
    """A person who may log in."""

    name: str
    role: str
    password: str  # an argon2 hash
    created_at: str


def add_user(store: Store, name: str, role: str, password: str) -> None:
    """Store a new user.

    Raises
    ------
    DataError
        If the name is taken.
    """
    row = {"name": name, "role": role, "password": password, "created_at": now()}
    try:
        with store.writing() as connection:
            connection.execute(insert(schema.users).values(row))
    except StoreConflictError:
        raise DataError(f"there is a user {name!r} already") from None


def list_users(store: Store) -> list[User]:
    """Return all users, by name."""
    with store.reading() as connection:
        rows = connection.execute(select(schema.users).order_by(schema.users.c.name)).all()
    return [User(*row) for row in rows]


def find_user(store: Store, name: str) -> User | None:
    """Return the user of this name, or None."""
    with store.reading() as connection:
        query = select(schema.users).where(schema.users.c.name == name)
        row = connection.execute(query).one_or_none()
    return None if row is None else User(*row)


def change_user(store: Store, name: str, **values: str) -> None:
    """Change the role or the password of a user."""
    _must_change(
        store, update(schema.users).where(schema.users.c.name == name).values(values), name
    )


def remove_user(store: Store, name: str) -> None:
    """Delete a user; their decisions stay in the record."""
    _must_change(store, delete(schema.users).where(schema.users.c.name == name), name)


def add_token(store: Store, name: str, digest: str) -> None:
    """Store a token, by which programs act for a user."""
    with store.writing() as connection:
        connection.execute(insert(schema.tokens).values(digest=digest, user=name, created_at=now()))


def remove_tokens(store: Store, name: str) -> int:
    """Delete the tokens of a user; return how many there were."""
    with store.writing() as connection:
        gone = delete(schema.tokens).where(schema.tokens.c.user == name)
        return int(connection.execute(gone).rowcount)


def token_user(store: Store, digest: str) -> User | None:
    """Return the user of a token, or None if the token is not known."""
    query = select(schema.users).join(schema.tokens).where(schema.tokens.c.digest == digest)
    with store.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else User(*row)


def secret(store: Store, name: str, fresh: str) -> str:
    """Return a secret of this store; on the first call, store `fresh` and return it."""
    table = schema.secrets
    with store.writing() as connection:
        known = connection.execute(select(table.c.value).where(table.c.name == name)).scalar()
        if known is None:
            connection.execute(insert(table).values(name=name, value=fresh))
        return fresh if known is None else str(known)


def _must_change(store: Store, statement: Executable, name: str) -> None:
    with store.writing() as connection:
        if connection.execute(statement).rowcount == 0:
            names = ", ".join(connection.execute(select(schema.users.c.name)).scalars())
            raise DataError(f"there must be a user {name!r}, but there is {names or 'nobody'}")
