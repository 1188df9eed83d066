"""The digest of a project's settings, counts and classes, written anew after each change."""

from __future__ import annotations

from sqlalchemy import select, update

from satc.workbench.store import schema
from satc.workbench.store.connection import Transaction
from satc.workbench.store.digests.sealing import classes_digest, project_digest


def seal_project(connection: Transaction, project: int) -> None:
    """Write the digest of a project's row, as it is stored now."""
    table = schema.projects
    own = table.c.key == project
    columns = (table.c.name, table.c.settings, table.c.n_documents, table.c.created_at)
    row = connection.execute(select(*columns, table.c.classes_digest).where(own)).one()
    connection.execute(update(table).where(own).values(digest=project_digest(*row)))


def seal_classes(connection: Transaction, project: int) -> None:
    """Write the digests of a project's classes and of its row."""
    names = class_names(connection, project)
    own = update(schema.projects).where(schema.projects.c.key == project)
    connection.execute(own.values(classes_digest=classes_digest(names)))
    seal_project(connection, project)


def class_names(connection: Transaction, project: int) -> list[str]:
    """Return the names of the classes, in order."""
    table = schema.classes
    query = select(table.c.name).where(table.c.project == project)
    return list(connection.execute(query.order_by(table.c.position)).scalars())
