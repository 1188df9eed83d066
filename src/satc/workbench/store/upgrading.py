"""Upgrade the tables of a database to this version of satc, in one transaction.

A SQLite file is copied before it is upgraded, and the copy is removed after the upgrade.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect

from satc.errors import DataError
from satc.workbench.store.backup.online_copy import copy_file

_MIGRATIONS = Path(__file__).parent / "migrations"
_UPGRADE_KEY = 0x73617464  # of the advisory lock: one upgrade at a time


def upgrade(engine: Engine, *, is_sqlite: bool, new: bool) -> None:
    """Run the missing migrations: all of them, or none.

    Raises
    ------
    DataError
        If the database is not a store, was made by a later version of satc, or cannot be upgraded.
    """
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    with _readable(), engine.connect() as connection:
        present = MigrationContext.configure(connection).get_current_revision()
        _check(connection, present, {script.revision for script in scripts.walk_revisions()}, new)
        connection.rollback()
        if present == scripts.get_current_head():
            return
        _begin(connection, is_sqlite)
        present = MigrationContext.configure(connection).get_current_revision()
        if present != scripts.get_current_head():  # another process was not faster
            config.attributes["connection"] = connection
            if is_sqlite and present is not None:
                with _copy_until_done(_file_of(connection)):
                    _run(connection, config, is_sqlite)
            else:
                _run(connection, config, is_sqlite)


@contextmanager
def _readable() -> Iterator[None]:
    """Refuse a file whose table names are damaged: SQLite puts them into its error messages."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(
            "the database is damaged: the names of its tables cannot be read; 'satc restore' "
            "restores a backup"
        ) from error


def _begin(connection: Connection, is_sqlite: bool) -> None:
    """Begin the transaction of the upgrade; other processes wait for its end."""
    if is_sqlite:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_UPGRADE_KEY})")


def _run(connection: Connection, config: Config, is_sqlite: bool) -> None:
    command.upgrade(config, "head")
    if is_sqlite:
        connection.exec_driver_sql("COMMIT")
    connection.commit()


@contextmanager
def _copy_until_done(path: Path) -> Iterator[None]:
    """Keep a copy of a file until the block succeeds; if it fails, name the copy."""
    copy = path.with_name(f"{path.name}.before-upgrade")
    copy.unlink(missing_ok=True)  # left by an upgrade that failed: the file is what it was then
    try:
        copy_file(path, copy)
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    try:
        yield
    except Exception as error:
        cause = str(error).strip().partition("\n")[0] or type(error).__name__
        raise DataError(
            f"{path} could not be upgraded and is as it was before; {copy} is a copy of it: {cause}"
        ) from error
    copy.unlink()


def _file_of(connection: Connection) -> Path:
    rows = connection.exec_driver_sql("PRAGMA database_list").all()
    return Path(next(row[2] for row in rows if row[1] == "main"))


def _check(connection: Connection, present: str | None, known: set[str], new: bool) -> None:
    if present is not None and present not in known:
        raise DataError(
            f"the database must have version {max(known)} or an earlier one, but has {present}: "
            "a later satc has made it; install that one"
        )
    tables = set(inspect(connection).get_table_names()) - {"alembic_version"}
    if present is None and (tables or not new):
        raise DataError(
            "the database must hold satc's tables, but holds "
            f"{', '.join(sorted(tables)[:3]) or 'none'}; 'satc create' makes them"
        )
