"""A new project file: complete and readable by its owner only, or not there at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satc.errors import DataError
from satc.files.atomic import atomic_file
from satc.workbench.store.connection import Store, open_store


@contextmanager
def new_file(path: Path, *, replace: bool = False) -> Iterator[Store]:
    """Give an empty store, which becomes the file `path` when the block succeeds.

    With `replace`, an earlier file of that name is replaced then.

    Raises
    ------
    DataError
        If the file exists, or its folder does not.
    """
    check_new(path, replace=replace)
    with atomic_file(path) as temporary:
        try:
            with _private_store(temporary) as store:
                yield store
                _write_log_into_file(store)
        finally:
            remove_companions(temporary)
        remove_companions(path)  # of an earlier file, which is replaced now


def check_new(path: Path, *, replace: bool = False) -> None:
    """Refuse a path where no new file can be.

    Raises
    ------
    DataError
        If the file exists (unless it is to be replaced), or its folder does not.
    """
    if path.exists() and not replace:
        raise DataError(f"{path} must be a new file, but is there already")
    if not path.parent.is_dir():
        raise DataError(f"{path} must be in a folder that exists, but {path.parent} does not")


@contextmanager
def _private_store(path: Path) -> Iterator[Store]:
    """Create a file for its owner only: it holds texts, password hashes and the signing key."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    store = open_store(path, new=True)
    try:
        yield store
    finally:
        store.close()


def _write_log_into_file(store: Store) -> None:
    """Move everything from SQLite's write-ahead log into the file itself."""
    with store.reading() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def remove_companions(path: Path) -> None:
    """Remove the write-ahead log of a SQLite file and the index of that log."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
