"""Upgrade the tables of a database to this version of satc, in one transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect

from satc.errors import DataError


def upgrade(engine: Engine, *, is_sqlite: bool, new: bool) -> None:
    """Run the missing migrations.

    Raises
    ------
    DataError
        If the database is not a store, or was made by a later version of satc.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    scripts = ScriptDirectory.from_config(config)
    with engine.connect() as connection:
        present = MigrationContext.configure(connection).get_current_revision()
        _check(connection, present, {script.revision for script in scripts.walk_revisions()}, new)
        connection.rollback()
        if present == scripts.get_current_head():
            return
        if is_sqlite:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        if is_sqlite:
            connection.exec_driver_sql("COMMIT")
        connection.commit()


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
