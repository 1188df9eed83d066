"""Add a user, in a transaction: the name must be free and look like no other."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import insert, select

from satc.errors import DataError
from satc.workbench.messages import Message
from satc.workbench.model.clock import now
from satc.workbench.store import schema
from satc.workbench.store.connection import Transaction
from satc.workbench.store.people.members import add_memberships, only_project
from satc.workbench.store.people.names import find_alike


def insert_user(
    connection: Transaction,
    name: str,
    role: str,
    password: str,
    *,
    projects: Mapping[str, str] | None = None,
    subject: str | None = None,
) -> None:
    """Add a user with their roles in projects; None means the only project of the store.

    Raises
    ------
    DataError
        If the name is taken or looks like that of another user, or a project does not exist.
    """
    lock_users(connection)
    check_free(connection, name)
    row = {"name": name, "role": role, "password": password, "created_at": now()}
    connection.execute(insert(schema.users).values(row | {"subject": subject}))
    roles = only_project(connection) if projects is None else projects
    add_memberships(connection, name, roles)


def lock_users(connection: Transaction) -> None:
    """Let nobody else add a user until the transaction ends; SQLite has one writer anyway."""
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE")


def check_free(connection: Transaction, name: str) -> None:
    """Refuse the name of a new user that is taken, or looks like the name of another user."""
    names = list(connection.execute(select(schema.users.c.name)).scalars())
    if name in names:
        raise DataError(Message("manage.user_exists", name=name))
    if (other := find_alike(name, names)) is not None:
        raise DataError(Message("manage.name_looks_alike", name=name, other=other))
