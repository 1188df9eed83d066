"""Open a store, keep other servers out, and run transactions.

A transaction either commits or changes nothing. Every error of the database becomes a `StoreError`
with a message for people: the disk is full, the server cannot be reached, the file is no project.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, TypeVar
from weakref import WeakMethod

from filelock import BaseFileLock
from sqlalchemy import URL, Connection, Engine, create_engine
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from satc.errors import SatcError
from satc.workbench.store.disclosure.database_address import (
    is_address,
    parse_address,
    shown_address,
)
from satc.workbench.store.locking import lock_database, lock_file, unlock_database
from satc.workbench.store.sqlite.engine import BUSY_MILLISECONDS, sqlite_engine
from satc.workbench.store.sqlite.file import SqliteFile
from satc.workbench.store.sqlite.log import WriteAheadLog
from satc.workbench.store.upgrading import upgrade

_COPY_LOG_SECONDS = 2.0

Transaction = Connection
_Lock = TypeVar("_Lock")


class StoreError(SatcError):
    """The database cannot carry out a request; what was saved before is safe."""


class FileMovedError(StoreError):
    """The file of a store was moved, removed or replaced while it was in use."""


class StoreConflictError(StoreError):
    """The database already has a row with this key."""


class Store:
    """A database with projects, users and events; see `open_store`."""

    def __init__(self, engine: Engine, location: str) -> None:
        self.engine = engine
        self.location = location
        self._file: SqliteFile | None = None
        self._log: WriteAheadLog | None = None
        self._before_close: list[WeakMethod[Callable[[], None]]] = []
        self._writing = Lock()
        self._file_lock: BaseFileLock | None = None
        self._exclusive = False
        self._closed = Event()
        self._session: Connection | None = None  # PostgreSQL: holds the lock and writes

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a SQLite file."""
        return self.engine.dialect.name == "sqlite"

    @property
    def address(self) -> str:
        """The argument of `open_store` that opens the same database; it can hold a password."""
        if self.is_sqlite:
            return self.location
        plain = self.engine.url.set(drivername="postgresql")
        return plain.render_as_string(hide_password=False)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection for queries."""
        with self.translating(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def translating(self) -> Iterator[None]:
        """Raise a `StoreError` in the place of an error of the database."""
        with _translated(self.location):
            yield

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """Give a connection in a transaction, one at a time; commit unless the block raises.

        A durable transaction survives a power cut. One that is not durable survives the end of the
        process only, but is faster; it is for data whose loss does no harm. If the path does not
        lead to the same file any more, nothing is committed, or the outcome is unknown.
        """
        with self._writing, self.translating(), self._writer() as connection:
            transaction = None if self.is_sqlite else connection.begin()
            try:
                if self.is_sqlite:
                    _set_durable(connection, durable)
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                elif not durable:
                    connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
                yield connection
                self._check_file()
                _commit(connection, transaction)
                self._check_file()
            except BaseException:
                _roll_back(connection, transaction)
                raise

    @contextmanager
    def _writer(self) -> Iterator[Connection]:
        if not self._exclusive or self.is_sqlite:
            with self.engine.connect() as connection:
                yield connection
            return
        if self._session is None or self._session.closed or self._session.invalidated:
            self._session = self._lock_database()
        try:
            yield self._session
        except DBAPIError as error:
            if error.connection_invalidated:
                self._session.close()
                self._session = None
            raise

    def is_in_place(self) -> bool:
        """Whether the path of a SQLite file still leads to the file that was opened."""
        return self._file is None or self._file.is_in_place()

    def _check_file(self) -> None:
        """Refuse to commit into a file that was removed or replaced: it would be lost."""
        if not (self.is_in_place() and (self._file is None or self._file.has_its_log())):
            raise FileMovedError(_MOVED.format(self.location))

    def lock(self) -> None:
        """Keep every other server from this store until this process ends or `close` is called.

        Raises
        ------
        StoreError
            If another process has the lock.
        """
        if self.is_sqlite:
            beside = Path(f"{os.path.realpath(self.location)}-lock")
            self._file_lock = self._checked(lock_file(beside))
            if self._file is not None and not self._file.lock():
                self._file_lock.release()
                self._checked(None)
            Thread(target=self._copy_log, name="copy log", daemon=True).start()
        else:
            with self.translating():
                self._session = self._lock_database()
        self._exclusive = True

    def _lock_database(self) -> Connection:
        return self._checked(lock_database(self.engine))

    def _checked(self, lock: _Lock | None) -> _Lock:
        """Return a lock; refuse the store if another process holds the lock."""
        if lock is None:
            raise StoreError(_IN_USE.format(self.location))
        return lock

    def _copy_log(self) -> None:
        """Copy the write-ahead log into the file regularly, so that no request has to do it."""
        while not self._closed.wait(_COPY_LOG_SECONDS):
            if self._log is not None:
                with suppress(SQLAlchemyError, sqlite3.Error), self.engine.connect() as connection:
                    self._log.copy(connection)
                self.shrink_log()

    def shrink_log(self, *, at_once: bool = False) -> None:
        """Empty SQLite's write-ahead log if it is large, or `at_once`; else do nothing."""
        if self._log is None or not (at_once or self._log.is_due()):
            return
        with (
            self._writing,
            suppress(SQLAlchemyError, sqlite3.Error),
            self.engine.connect() as connection,
        ):
            self._log.empty(connection, BUSY_MILLISECONDS)

    def before_close(self, method: Callable[[], None]) -> None:
        """Call a method before the store is closed, if its object is still used then."""
        self._before_close = [known for known in self._before_close if known() is not None]
        self._before_close.append(WeakMethod(method))

    def close(self) -> None:
        """Close all connections and release the lock."""
        for known in self._before_close:
            if (method := known()) is not None:
                method()
        self._closed.set()
        if self._session is not None:
            if not (self._session.closed or self._session.invalidated):
                unlock_database(self._session)
            self._session.invalidate()
            self._session.close()
            self._session = None
        self.engine.dispose()
        if self._file_lock is not None:
            self._file_lock.release()
            self._file_lock = None
        if self._file is not None:  # after its connections: closing it ends their locks
            self._file.close()
            self._file = None


_IN_USE = (
    "{} is served by another process; stop that one first (two servers would hand out the same "
    "documents)"
)
_MOVED = (
    "{} was moved, removed or replaced while it was in use, so nothing can be saved; put the same "
    "file back, or restart the server to use the file that is there now"
)


def open_store(location: str | Path, *, new: bool = False) -> Store:
    """Open a store: the path of a SQLite file, or a ``postgresql://`` address.

    Parameters
    ----------
    location
        A path or an address.
    new
        Whether to create the tables if they are missing; otherwise they must exist.

    Raises
    ------
    StoreError
        If the database does not exist or cannot be used.
    DataError
        If the database is not a store, or was made by a later version of satc.
    """
    if is_address(str(location)):
        url = _parsed(str(location))
        store = Store(_postgresql(url), shown_address(url))
    else:
        store = _open_file(Path(location), new)
    try:
        with _translated(store.location):
            upgrade(store.engine, is_sqlite=store.is_sqlite, new=new)
        if store.is_sqlite and new:
            store._file = SqliteFile(Path(location))
    except BaseException:
        store.close()
        raise
    return store


def _open_file(path: Path, new: bool) -> Store:
    """Open a SQLite file; a new one need not exist yet."""
    file = None if new else _existing_file(path)
    try:
        engine = sqlite_engine(path, new=new, is_in_place=lambda: store.is_in_place())
    except PermissionError as error:
        if file is not None:
            file.close()
        raise StoreError(str(error)) from error
    store = Store(engine, str(path))
    store._file, store._log = file, WriteAheadLog(path)
    return store


def _existing_file(path: Path) -> SqliteFile:
    try:
        file = SqliteFile(path)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be opened: {error.strerror}; 'satc create' makes a project"
        ) from error
    if not file.is_database():
        file.close()
        raise StoreError(f"{path} must be a project made by 'satc create', but is something else")
    return file


def _parsed(address: str) -> URL:
    try:
        return parse_address(address)
    except ValueError as error:
        raise StoreError(str(error)) from None  # the cause would show the address


def _postgresql(url: URL) -> Engine:
    try:
        return create_engine(url, pool_size=8, max_overflow=32, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise StoreError(f"{shown_address(url)} cannot be used: {error}") from error


def _set_durable(connection: Connection, durable: bool) -> None:
    """Make SQLite wait for the disk at each commit, or not."""
    if connection.info.get("durable") is not durable:
        level = "FULL" if durable else "NORMAL"
        connection.exec_driver_sql(f"PRAGMA synchronous = {level}")
        connection.info["durable"] = durable


def _commit(connection: Connection, transaction: Any) -> None:
    if transaction is None:
        connection.exec_driver_sql("COMMIT")
    else:
        transaction.commit()


def _roll_back(connection: Connection, transaction: Any) -> None:
    try:
        if transaction is not None:
            if transaction.is_active:
                transaction.rollback()
        elif connection.connection.dbapi_connection.in_transaction:  # type: ignore[union-attr]
            connection.exec_driver_sql("ROLLBACK")
    except SQLAlchemyError:
        connection.invalidate()


@contextmanager
def _translated(location: str) -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:
        raise StoreConflictError(f"{location}: {_first_line(error.orig)}") from error
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        raise StoreError(f"{location}: {_first_line(cause)}") from error
    except sqlite3.Error as error:
        raise StoreError(f"{location}: {error}") from error


def _first_line(error: object) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
