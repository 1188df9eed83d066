"""Compare a project's settings, classes, documents and arrays with their digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, select

from satc.workbench.store import schema
from satc.workbench.store.digests.faults import CHANGED, UNREADABLE, Fault, unreadable
from satc.workbench.store.digests.project_row import class_names
from satc.workbench.store.digests.sealing import (
    array_digest,
    classes_digest,
    document_digest,
    project_digest,
    rank_digest,
)

_BATCH = 2_000


def project_faults(connection: Connection, project: int) -> Iterator[Fault]:
    """Yield the faults of the settings and classes of a project."""
    table = schema.projects
    columns = (table.c.name, table.c.settings, table.c.n_documents, table.c.created_at)
    query = select(*columns, table.c.classes_digest, table.c.digest)
    try:
        *values, digest = connection.execute(query.where(table.c.key == project)).one()
        if project_digest(*values) != digest:
            yield Fault("settings", "the row of the project (name, settings, counts)", CHANGED)
        if classes_digest(class_names(connection, project)) != values[-1]:
            yield Fault("classes", "the list of classes", CHANGED)
    except UNREADABLE as error:
        yield unreadable("settings", "the row of the project", error)


def document_faults(connection: Connection, project: int) -> Iterator[Fault]:
    """Yield the faults of documents, in the order of their positions."""
    counted = select(schema.projects.c.n_documents).where(schema.projects.c.key == project)
    n_documents = connection.execute(counted).scalar_one()
    expected = 0
    for found in _documents(connection, project):
        if isinstance(found, Fault):
            yield found
            expected += 1
            continue
        if found.position != expected:
            yield Fault("documents", f"document {expected}", f"is missing before {found.position}")
        expected = found.position + 1
        place = f"document {found.id!r} (position {found.position})"
        if document_digest(found.position, found.id, found.text, found.columns) != found.digest:
            yield Fault("documents", place, CHANGED)
        elif not _has_its_rank(found):
            yield Fault("documents", f"the rank of {place}", CHANGED)
    if expected != n_documents:
        problem = f"are {expected:,}, but the project counts {n_documents:,}"
        yield Fault("documents", "the documents", problem)


def _has_its_rank(row: Any) -> bool:
    if row.rank is None:
        return row.rank_digest is None
    return bool(rank_digest(row.position, row.rank, row.utility) == row.rank_digest)


def _documents(connection: Connection, project: int) -> Iterator[Any]:
    """Yield rows, and a fault for each row that cannot be read."""
    table = schema.documents
    last = -1
    while True:
        query = select(table).where(table.c.project == project, table.c.position > last)
        try:
            rows: Sequence[Any] = connection.execute(
                query.order_by(table.c.position).limit(_BATCH)
            ).all()
        except UNREADABLE:
            rows = list(_one_by_one(connection, project, range(last + 1, last + 1 + _BATCH)))
        if not rows:
            return
        yield from rows
        last = last + _BATCH if isinstance(rows[-1], Fault) else rows[-1].position


def _one_by_one(connection: Connection, project: int, positions: range) -> Iterator[Any]:
    table = schema.documents
    for position in positions:
        query = select(table).where(table.c.project == project, table.c.position == position)
        try:
            row = connection.execute(query).one_or_none()
        except UNREADABLE as error:
            row = None
            yield unreadable("documents", f"document {position}", error)
        if row is not None:
            yield row


def array_faults(
    connection: Connection, project: int, skipped: Sequence[str] = ()
) -> Iterator[Fault]:
    """Yield the faults of arrays, except for the skipped ones."""
    table = schema.arrays
    query = select(table.c.name, table.c.part).where(table.c.project == project)
    try:
        parts = connection.execute(query.order_by(table.c.name, table.c.part)).all()
    except UNREADABLE as error:
        yield unreadable("arrays", "the list of arrays", error)
        return
    known: dict[str, int] = {}
    for name, part in parts:
        if name in skipped:
            continue
        place = f"array {name}, part {part}"
        if part != known.get(name, -1) + 1 and name != "words":  # some classes have no words
            yield Fault("arrays", place, "follows a part that is missing")
        known[name] = part
        own = (table.c.project == project, table.c.name == name, table.c.part == part)
        try:
            row = connection.execute(select(table.c.data, table.c.digest).where(*own)).one()
            if array_digest(name, part, row.data) != row.digest:
                yield Fault("arrays", place, CHANGED)
        except UNREADABLE as error:
            yield unreadable("arrays", place, error)
