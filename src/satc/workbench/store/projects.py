"""Projects: their settings, classes and documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, insert, select, update

from satc.errors import DataError
from satc.workbench.model.clock import now
from satc.workbench.model.settings import Settings
from satc.workbench.store import schema
from satc.workbench.store.connection import Store

_BATCH = 2_000


class StoredDocument(NamedTuple):
    """A document as it came, with its place in the ranking."""

    position: int
    id: str
    text: str
    columns: dict[str, Any]
    rank: int | None = None


@dataclass(frozen=True)
class Project:
    """A project, without its documents."""

    key: int
    name: str
    settings: Settings
    n_documents: int
    classes: tuple[str, ...]
    created_at: str

    @property
    def n_whole(self) -> int:
        """How many documents the whole set has, of which `n_documents` are here."""
        stored = self.settings.stored
        return self.n_documents if stored is None else stored.n_documents


def add_project(
    connection: Connection, name: str, settings: Settings, classes: Sequence[str]
) -> int:
    """Make a project without documents; return its key."""
    row = {"name": name, "settings": settings.as_dict(), "n_documents": 0, "created_at": now()}
    key = connection.execute(insert(schema.projects).values(row)).inserted_primary_key
    if key is None:
        raise DataError(f"the database gave no key to project {name!r}")
    rows = [{"project": key[0], "position": j, "name": c} for j, c in enumerate(classes)]
    connection.execute(insert(schema.classes), rows)
    return int(key[0])


def add_documents(connection: Connection, project: int, documents: Iterable[StoredDocument]) -> int:
    """Append documents; return how many."""
    rows: list[dict[str, Any]] = [
        {"project": project, "position": d.position, "id": d.id, "text": d.text}
        | {"columns": d.columns}
        for d in documents
    ]
    if rows:
        connection.execute(insert(schema.documents), rows)
        update_count = update(schema.projects).where(schema.projects.c.key == project)
        connection.execute(update_count.values(n_documents=rows[-1]["position"] + 1))
    return len(rows)


def set_ranks(
    connection: Connection, project: int, ranked: Iterable[tuple[int, int, float]]
) -> None:
    """Note the place and the utility of documents: (position, rank, utility)."""
    table = schema.documents
    statement = (
        update(table)
        .where(table.c.project == project, table.c.position == bindparam("at"))
        .values(rank=bindparam("its_rank"), utility=bindparam("its_utility"))
    )
    rows = [{"at": at, "its_rank": rank, "its_utility": utility} for at, rank, utility in ranked]
    for start in range(0, len(rows), _BATCH):
        connection.execute(statement, rows[start : start + _BATCH])


def change_settings(store: Store, project: Project, settings: Settings) -> None:
    """Set a project to something else; a server sees it when it is started again."""
    changed = update(schema.projects).where(schema.projects.c.key == project.key)
    with store.writing() as connection:
        connection.execute(changed.values(settings=settings.as_dict()))


def list_projects(store: Store) -> list[Project]:
    """Return all projects, by name, without their classes."""
    with store.reading() as connection:
        rows = connection.execute(select(schema.projects).order_by(schema.projects.c.name)).all()
    return [_project(row, ()) for row in rows]


def get_project(store: Store, name: str | None = None) -> Project:
    """Return a project; without a name, the only one there is, or the one named like the file.

    Raises
    ------
    DataError
        If there is none of that name; the message names those that there are.
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
        return _project(row, connection.execute(names_of.order_by(classes.c.position)).scalars())


def _project(row: Any, classes: Iterable[str]) -> Project:
    settings = Settings.from_dict(row.settings)
    return Project(row.key, row.name, settings, row.n_documents, tuple(classes), row.created_at)


_DOCUMENT = select(schema.documents).where(
    schema.documents.c.project == bindparam("in_project"),
    schema.documents.c.position == bindparam("at"),
)


def get_document(store: Store, project: int, position: int) -> StoredDocument:
    """Return one document."""
    with store.reading() as connection:
        found = connection.execute(_DOCUMENT, {"in_project": project, "at": position})
        return _document(found.one())


def snippets(
    store: Store, project: int, positions: Sequence[int], length: int
) -> dict[int, tuple[str, str]]:
    """Return the id and the first characters of some documents."""
    table = schema.documents
    query = select(table.c.position, table.c.id, func.substr(table.c.text, 1, length))
    query = query.where(table.c.project == project, table.c.position.in_(positions))
    with store.reading() as connection:
        return {position: (id_, text) for position, id_, text in connection.execute(query)}


def iter_documents(store: Store, project: int) -> Iterator[StoredDocument]:
    """Go through the documents in their order; only a batch is held at a time."""
    table = schema.documents
    last = -1
    while True:
        query = select(table).where(table.c.project == project, table.c.position > last)
        with store.reading() as connection:
            rows = connection.execute(query.order_by(table.c.position).limit(_BATCH)).all()
        if not rows:
            return
        yield from map(_document, rows)
        last = rows[-1].position


def ids_of(store: Store, project: int) -> list[str]:
    """Return the ids of the documents in their order."""
    table = schema.documents
    query = select(table.c.id).where(table.c.project == project).order_by(table.c.position)
    with store.reading() as connection:
        return list(connection.execute(query).scalars())


def positions_of(store: Store, project: int) -> dict[str, int]:
    """Return where each document stands, by its id."""
    return {identity: position for position, identity in enumerate(ids_of(store, project))}


def _document(row: Any) -> StoredDocument:
    return StoredDocument(row.position, row.id, row.text, row.columns, row.rank)
