"""Members of projects: who may open which project, and with which role.

A manager of the store may open every project, as a manager. Everybody else may open the projects
that they are a member of, with the role that they have there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import and_, delete, func, insert, select, update

from satc.errors import DataError
from satc.workbench.messages import Message
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction

ANNOTATOR, MANAGER = "annotator", "manager"


class Member(NamedTuple):
    """The role of one user in one project."""

    user: str
    project: str
    role: str


def list_members(store: Store) -> list[Member]:
    """Return all members of all projects, by user and project."""
    members, projects = schema.members, schema.projects
    query = select(members.c.user, projects.c.name, members.c.role).join(projects)
    with store.reading() as connection:
        rows = connection.execute(query.order_by(members.c.user, projects.c.name)).all()
    return [Member(*row) for row in rows]


def projects_of(store: Store, user: str) -> set[str]:
    """Return the names of the projects that a user is a member of."""
    return {member.project for member in list_members(store) if member.user == user}


def readers_of(store: Store, project: int) -> list[str]:
    """Return the names of the users who may open a project: its members, and all managers."""
    users, members = schema.users, schema.members
    joined = users.outerjoin(members, _is_member(project))
    may_open = (users.c.role == MANAGER) | members.c.role.is_not(None)
    query = select(users.c.name).select_from(joined).where(may_open).order_by(users.c.name)
    with store.reading() as connection:
        return list(connection.execute(query).scalars())


def grant(store: Store, user: str, project: str, role: str) -> None:
    """Make a user a member of a project, or change the role of a member.

    Raises
    ------
    DataError
        If there is no such user or no such project.
    """
    with store.writing() as connection:
        _check_user(connection, user)
        key = _keys(connection, [project])[project]
        _remove(connection, user, key)
        connection.execute(insert(schema.members).values(project=key, user=user, role=role))


def withdraw(store: Store, user: str, project: str) -> bool:
    """End the membership of a user in a project; False if they were no member."""
    with store.writing() as connection:
        _check_user(connection, user)
        return _remove(connection, user, _keys(connection, [project])[project])


def set_projects(store: Store, user: str, roles: Mapping[str, str]) -> None:
    """Make a user a member of exactly these projects, with these roles.

    Raises
    ------
    DataError
        If there is no such user, or no such project; then nothing has changed.
    """
    with store.writing() as connection:
        _check_user(connection, user)
        _remove(connection, user)
        add_memberships(connection, user, roles)


def add_memberships(connection: Transaction, user: str, roles: Mapping[str, str]) -> None:
    """Make a new user a member of projects."""
    keys = _keys(connection, roles)
    rows = [{"project": keys[name], "user": user, "role": role} for name, role in roles.items()]
    if rows:
        connection.execute(insert(schema.members), rows)


def only_project(connection: Transaction) -> dict[str, str]:
    """Return the role of a new user who is given no project: annotator in the only one.

    A store with one project belongs to one team. Where there are several, somebody must choose.
    """
    names = list(connection.execute(select(schema.projects.c.name).limit(2)).scalars())
    return {names[0]: ANNOTATOR} if len(names) == 1 else {}


def check_projects(store: Store, names: Iterable[str]) -> None:
    """Raise a DataError if one of the names is not the name of a project."""
    with store.reading() as connection:
        _keys(connection, names)


def known_projects(connection: Transaction, names: Iterable[str]) -> list[str]:
    """Return those of the names that are still names of projects."""
    stored = set(connection.execute(select(schema.projects.c.name)).scalars())
    return [name for name in names if name in stored]


def end_management(connection: Transaction, user: str) -> None:
    """Let a user be an annotator in all projects of which they are a member."""
    own = update(schema.members).where(schema.members.c.user == user)
    connection.execute(own.values(role=ANNOTATOR))


def role_in(project: str) -> Any:
    """Return a query of the role of each row of `users` in a project; NULL means none."""
    members, projects = schema.members, schema.projects
    named = select(projects.c.key).where(projects.c.name == project).scalar_subquery()
    own = and_(members.c.user == schema.users.c.name, members.c.project == named)
    return select(func.max(members.c.role)).where(own).scalar_subquery()


def _is_member(project: int) -> Any:
    members = schema.members
    return and_(members.c.user == schema.users.c.name, members.c.project == project)


def _remove(connection: Transaction, user: str, project: int | None = None) -> bool:
    gone = delete(schema.members).where(schema.members.c.user == user)
    if project is not None:
        gone = gone.where(schema.members.c.project == project)
    return connection.execute(gone).rowcount > 0


def _keys(connection: Transaction, names: Iterable[str]) -> dict[str, int]:
    rows = connection.execute(select(schema.projects.c.name, schema.projects.c.key)).all()
    keys = {str(name): int(key) for name, key in rows}
    missing = next((name for name in names if name not in keys), None)
    if missing is not None:
        raise DataError(
            Message("manage.no_such_project_here", name=missing, names=", ".join(sorted(keys)))
        )
    return keys


def _check_user(connection: Transaction, name: str) -> None:
    known = select(schema.users.c.name).where(schema.users.c.name == name)
    if connection.execute(known).scalar() is None:
        raise DataError(Message("manage.no_such_person", name=name))
