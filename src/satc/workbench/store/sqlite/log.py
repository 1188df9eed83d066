"""The write-ahead log of a SQLite file: where it is, how large it is, and how it is emptied.

Every commit is appended to the log, and a checkpoint moves the pages into the file. A checkpoint
that waits for nobody leaves the log as long as it is, because others may still read or write it.
So the process that writes empties a large log between two transactions.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic

import numpy as np
from sqlalchemy import Connection

LARGE = 4 << 20  # bytes; a larger log is emptied
_WAIT_MILLISECONDS = 100  # for people who read the log just then
_RETRY_SECONDS = 1.0  # least time between two attempts


def log_of(path: Path) -> Path:
    """Return the path of the log; SQLite follows symbolic links."""
    return Path(f"{os.path.realpath(path)}-wal")


class WriteAheadLog:
    """The log of one file."""

    def __init__(self, path: Path) -> None:
        self.path = log_of(path)
        self._tried_at = -np.inf

    @property
    def size(self) -> int:
        """The bytes of the log; 0 if there is none."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def is_due(self) -> bool:
        """Whether the log is large and was not tried to be emptied just before."""
        return self.size > LARGE and monotonic() - self._tried_at >= _RETRY_SECONDS

    def copy(self, connection: Connection) -> None:
        """Copy the pages of the log into the file, without waiting for anybody."""
        connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    def empty(self, connection: Connection, usual_wait: int) -> None:
        """Copy the pages of the log into the file, and cut the log to nothing.

        If somebody reads the log for long, it stays, and the next attempt empties it. `usual_wait`
        is how many milliseconds the connection waits for locks otherwise.
        """
        self._tried_at = monotonic()
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {_WAIT_MILLISECONDS}")
        try:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {usual_wait}")
