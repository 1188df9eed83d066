"""Projects: their names, settings and classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select, update

from satc.errors import DataError
from satc.workbench.model.clock import now
from satc.workbench.model.settings import Settings
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction


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
        """How many documents there are, in the larger set if the project holds a part of one."""
        stored = self.settings.stored
        return self.n_documents if stored is None else stored.n_documents


def add_project(
    connection: Transaction, name: str, settings: Settings, classes: Sequence[str]
) -> int:
    """Create a project without documents; return its key."""
    row = {"name": name, "settings": settings.as_dict(), "n_documents": 0, "created_at": now()}
    key = connection.execute(insert(schema.projects).values(row)).inserted_primary_key
    if key is None:
        raise DataError(f"the database gave no key to project {name!r}")
    rows = [{"project": key[0], "position": j, "name": c} for j, c in enumerate(classes)]
    connection.execute(insert(schema.classes), rows)
    return int(key[0])


def change_settings(store: Store, project: Project, settings: Settings) -> None:
    """Store other settings of a project; a running server sees them after a restart."""
    changed = update(schema.projects).where(schema.projects.c.key == project.key)
    with store.writing() as connection:
        connection.execute(changed.values(settings=settings.as_dict()))


def list_projects(store: Store) -> list[Project]:
    """Return all projects, by name, without their classes."""
    with store.reading() as connection:
        rows = connection.execute(select(schema.projects).order_by(schema.projects.c.name)).all()
    return [_project(row, ()) for row in rows]


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
        return _project(row, connection.execute(names_of.order_by(classes.c.position)).scalars())


def _project(row: Any, classes: Iterable[str]) -> Project:
    settings = Settings.from_dict(row.settings)
    return Project(row.key, row.name, settings, row.n_documents, tuple(classes), row.created_at)
