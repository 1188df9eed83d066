"""The file of a SQLite store: it is locked itself, and it must stay at its path.

A lock that goes by the path would let a second server in by a symbolic or a hard link. And if
somebody removes or replaces the file, SQLite goes on with the removed one, so a store asks before
and after each commit whether the path still leads to the same file.

The descriptor of a closed store is kept until no store of this process uses the file: when a
process closes any descriptor of a file, it loses all POSIX locks on it, and SQLite needs its own.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from pathlib import Path
from threading import Lock

from satc.workbench.store.sqlite.log import log_of

_MAGIC = b"SQLite format 3\x00"
_Identity = tuple[int, int]  # the device, and the number of the file on it
_guard = Lock()
_n_open: dict[_Identity, int] = defaultdict(int)
_descriptors: dict[_Identity, list[int]] = defaultdict(list)


class SqliteFile:
    """The open file of a store.

    Raises
    ------
    OSError
        If the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._log = log_of(path)
        self._has_log = False  # whether the log has been seen
        mode = os.O_RDWR if os.access(path, os.W_OK) else os.O_RDONLY
        self._descriptor = os.open(path, mode | getattr(os, "O_BINARY", 0))
        self._identity = _identity(os.fstat(self._descriptor))
        with _guard:
            _n_open[self._identity] += 1

    def is_database(self) -> bool:
        """Whether the file begins as a SQLite database does."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        return os.read(self._descriptor, len(_MAGIC)) == _MAGIC

    def is_in_place(self) -> bool:
        """Whether the path leads to this file."""
        try:
            found = os.stat(self._path)
        except OSError:
            return False
        return _identity(found) == self._identity and found.st_nlink > 0

    def has_its_log(self) -> bool:
        """Whether the write-ahead log is beside the file; to be asked within a transaction.

        Some file systems allow no log, so it must be there only if it was there before.
        """
        had_log, self._has_log = self._has_log, self._log.exists() or self._has_log
        return self._log.exists() or not had_log

    def lock(self) -> bool:
        """Lock the file for this store; return whether nobody else has locked it.

        SQLite uses POSIX locks, which do not meet this one on Linux. On other systems they would,
        and only the lock beside the file is used (`locking.lock_file`).
        """
        if sys.platform != "linux":
            return True
        import fcntl

        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Release the lock, and close the file once no store of this process uses it."""
        if sys.platform == "linux":
            import fcntl

            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        with _guard:
            _n_open[self._identity] -= 1
            _descriptors[self._identity].append(self._descriptor)
            if not _n_open[self._identity]:
                del _n_open[self._identity]
                for descriptor in _descriptors.pop(self._identity):
                    os.close(descriptor)


def _identity(status: os.stat_result) -> _Identity:
    return status.st_dev, status.st_ino
