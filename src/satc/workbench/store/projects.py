"""Projects: their names, settings and classes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from satc.code_book import CodeBook, Hierarchy
from satc.errors import DataError
from satc.workbench.model.settings import Settings
from satc.workbench.store import schema
from satc.workbench.store.arrays import get_bytes, put
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.digests.project_row import seal_project

_BOOK = "code_book"
UNFINISHED = "unfinished:"  # how the name of a project begins until it is complete


@dataclass(frozen=True)
class Project:
    """A project, without its documents.

    `classes` are the codes of the classes. `book` has their names and parents, in the same order,
    and then the entries that are only above them; None if the project has no code book.
    """

    key: int
    name: str
    settings: Settings
    n_documents: int
    classes: tuple[str, ...]
    created_at: str
    book: CodeBook | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the classes, for people."""
        return self.classes if self.book is None else self.book.names[: len(self.classes)]

    @cached_property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy of the classes, if a label implies its ancestors; otherwise None."""
        if not self.settings.closed or self.book is None:
            return None
        return self.book.class_hierarchy(len(self.classes))

    def completed(self, labels: Iterable[int]) -> tuple[int, ...]:
        """Return the labels of one document, sorted, with all that they imply."""
        hierarchy = self.hierarchy
        given = tuple(sorted(set(labels)))
        return given if hierarchy is None else hierarchy.close_one(given)

    @property
    def n_whole(self) -> int:
        """How many documents there are, in the larger set if the project holds a part of one."""
        stored = self.settings.stored
        return self.n_documents if stored is None else stored.n_documents


def add_classes(connection: Transaction, project: int, first: int, classes: Sequence[str]) -> None:
    """Store the names of classes; the first of them gets the position `first`."""
    rows = [{"project": project, "position": first + j, "name": c} for j, c in enumerate(classes)]
    connection.execute(insert(schema.classes), rows)


def change_settings(store: Store, project: Project, settings: Settings) -> None:
    """Store other settings of a project; a server that did not make the change must restart."""
    changed = update(schema.projects).where(schema.projects.c.key == project.key)
    with store.writing() as connection:
        connection.execute(changed.values(settings=settings.as_dict()))
        seal_project(connection, project.key)


def put_code_book(connection: Transaction, project: int, book: CodeBook) -> None:
    """Store the code book of a project, in the place of an earlier one."""
    table = schema.arrays
    connection.execute(delete(table).where(table.c.project == project, table.c.name == _BOOK))
    put(connection, project, _BOOK, 0, json.dumps(book.as_json()).encode())


def change_code_book(store: Store, project: Project, book: CodeBook) -> None:
    """Store another code book for the classes of a project, which stay as they are."""
    with store.writing() as connection:
        put_code_book(connection, project.key, book.for_classes(project.classes))


def _read_code_book(store: Store, project: int) -> CodeBook | None:
    stored = get_bytes(store, project, _BOOK)
    return None if stored is None else CodeBook.from_json(json.loads(stored))


def list_projects(store: Store) -> list[Project]:
    """Return all projects that are complete, by name, without their classes."""
    table = schema.projects
    query = select(table).where(~table.c.name.startswith(UNFINISHED))
    with store.reading() as connection:
        rows = connection.execute(query.order_by(table.c.name)).all()
    return [_project(row, ()) for row in rows]


def count_projects(store: Store) -> int:
    """Count the projects; this is a cheap test of whether the database can be read."""
    with store.reading() as connection:
        query = select(func.count()).select_from(schema.projects)
        return int(connection.execute(query).scalar_one())


def get_project(store: Store, name: str | None = None) -> Project:
    """Return a project; without a name, the only project, or the one with the file's name.

    Raises
    ------
    DataError
        If there is no project of that name; the message names the projects that exist.
    """
    names = [project.name for project in list_projects(store)]
    if name is None:
        name = names[0] if len(names) == 1 else Path(store.location).stem
    if name not in names:
        raise DataError(
            f"{store.location} must hold the project {name!r}, but holds "
            f"{', '.join(map(repr, names)) or 'none'}"
        )
    table = schema.projects
    with store.reading() as connection:
        row = connection.execute(select(table).where(table.c.name == name)).one()
        classes = schema.classes
        names_of = select(classes.c.name).where(classes.c.project == row.key)
        found = list(connection.execute(names_of.order_by(classes.c.position)).scalars())
    return _project(row, found, _read_code_book(store, row.key))


def _project(row: Any, classes: Iterable[str], book: CodeBook | None = None) -> Project:
    settings = Settings.from_dict(row.settings)
    names = tuple(classes)
    return Project(row.key, row.name, settings, row.n_documents, names, row.created_at, book)
