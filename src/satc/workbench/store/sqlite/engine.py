"""Connections to a SQLite file, also to one that can only be read."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from satc.workbench.store.sqlite.log import log_of

BUSY_MILLISECONDS = 20_000  # how long a connection waits for the lock of another process
_WAL_PAGES = 20_000  # a server empties the log long before (`log`)


def sqlite_engine(path: Path, *, new: bool, is_in_place: Callable[[], bool]) -> Engine:
    """Return an engine for a file, which is created only if it may be `new`.

    A connection is refused unless `is_in_place` says that the path leads to the same file: SQLite
    would read another file with the log of this one.
    """
    only_read = is_read_only(path)
    options = "immutable=1" if only_read else "mode=rwc" if new else "mode=rw"
    address = f"{path.absolute().as_uri()}?{options}"  # the file's name may hold "?" or "%"

    def connect() -> sqlite3.Connection:
        if not is_in_place():
            raise sqlite3.OperationalError("the file was moved, removed or replaced")
        return sqlite3.connect(address, check_same_thread=False, isolation_level=None, uri=True)

    engine = create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, pool_size=8, max_overflow=32
    )

    @event.listens_for(engine, "connect")
    def _settings(connection: Any, _: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
        if only_read:
            return
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")

    return engine


def is_read_only(path: Path) -> bool:
    """Whether a project can only be read: nothing can be written beside it, or into it.

    SQLite needs files beside a project, unless it is told that nobody changes the project. That is
    true only if the project was closed properly, so that its write-ahead log is empty.

    Raises
    ------
    PermissionError
        If the log is not empty.
    """
    if not path.exists() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return False
    log = log_of(path)
    if log.exists() and log.stat().st_size:
        raise PermissionError(
            f"{path} was not closed properly and cannot be written to: copy it, together with "
            f"{log.name}, to a folder that you can write to"
        )
    return True
