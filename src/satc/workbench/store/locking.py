"""Locks that keep a second server away from a store: a locked file, or a lock in PostgreSQL.

The operating system, or PostgreSQL, releases them when the process ends, however it ends.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

_ADVISORY_KEY = 0x73617463  # "satc"


def lock_file(path: Path) -> BaseFileLock | None:
    """Lock a file, which is created if needed; return None if somebody else holds the lock.

    The file stays after the release: removing it would race with the next process that locks it.
    """
    lock = FileLock(
        path,
        mode=0o600,
        blocking=False,
        thread_local=False,  # the thread that closes a store need not be the one that locked it
        fallback_to_soft=False,  # that lock would outlive a process that is killed
        preserve_lock_file=True,
    )
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def lock_database(engine: Engine) -> Connection | None:
    """Open a PostgreSQL session that holds the lock; return None if another session holds it."""
    connection = engine.connect()
    query = f"SELECT pg_try_advisory_lock({_ADVISORY_KEY})"
    held = connection.exec_driver_sql(query).scalar_one()
    connection.commit()
    if held:
        return connection
    connection.close()
    return None


def unlock_database(connection: Connection) -> None:
    """Release the lock of a session now; PostgreSQL may notice the end of a session a little later.

    A session that was lost holds no lock.
    """
    with suppress(DBAPIError):
        connection.rollback()
        connection.exec_driver_sql(f"SELECT pg_advisory_unlock({_ADVISORY_KEY})")
        connection.commit()
