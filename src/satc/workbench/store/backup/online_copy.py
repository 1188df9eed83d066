"""Copy a SQLite file while others write to it.

The copy is one snapshot: a read transaction stays open until the copy is complete, so SQLite does
not begin again when somebody writes. In the mode of write-ahead logging, nobody waits for it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from satc.errors import DataError

Report = Callable[[int, int], None]  # the pages that are copied, of all pages

_PAGES = 2_000  # copied at a time, 8 MB
_BUSY_SECONDS = 20.0


def no_report(done: int, total: int) -> None:
    """Tell nobody."""


def copy_file(source: Path, target: Path, report: Report = no_report) -> None:
    """Copy a SQLite file into a new file, which only its owner can read.

    Raises
    ------
    DataError
        If the file cannot be read, or the copy cannot be written.
    """
    os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(_reader(source)) as reader, closing(sqlite3.connect(target)) as writer:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
            reader.backup(
                writer,
                pages=_PAGES,
                sleep=0.0,
                progress=lambda _, left, total: report(total - left, total),
            )
    except sqlite3.Error as error:
        raise DataError(f"{source} cannot be copied to {target.parent}: {error}") from error


def _reader(path: Path) -> sqlite3.Connection:
    """Open a file for reading; on a read-only file system SQLite is told that nobody writes."""
    can_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    name = f"{path.resolve().as_uri()}?{'mode=rw' if can_write else 'mode=ro&immutable=1'}"
    return sqlite3.connect(name, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
