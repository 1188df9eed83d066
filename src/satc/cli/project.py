"""Open the store of a project: shared by all commands on a project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.errors import MissingExtraError

if TYPE_CHECKING:
    from satc.workbench.store import Store

ProjectArgument = Annotated[
    str,
    typer.Argument(
        metavar="PROJECT",
        help="A file made by 'satc create' (team.satc/claims: one of several projects in a file), "
        "or with --database the name.",
        show_default=False,
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        help="Keep the project in PostgreSQL: postgresql://user:password@host/database.",
        envvar="SATC_DATABASE",
        show_envvar=True,
    ),
]


@contextmanager
def open_store_of(project: str, database: str | None) -> Iterator[Store]:
    """Open the store of a project, and close it at the end."""
    need_workbench()
    from satc.workbench.store import open_store

    store = open_store(_file_and_name(project)[0] if database is None else database)
    try:
        yield store
    finally:
        store.close()


def name_in(project: str, database: str | None) -> str | None:
    """Return the project's name in its store; None means the only project of a file."""
    return _file_and_name(project)[1] if database is None else project


def _file_and_name(project: str) -> tuple[Path, str | None]:
    """Split ``team.satc/claims`` into the file and the project; a plain path has no name."""
    path = Path(project)
    return (path.parent, path.name) if path.parent.is_file() else (path, None)


def need_workbench() -> None:
    """Raise an error that names the missing extra, if the workbench is not installed."""
    if any(find_spec(name) is None for name in ("alembic", "argon2", "fastapi", "sqlalchemy")):
        raise MissingExtraError("the workbench", "workbench")
