"""Open a store, keep other servers out, and run transactions.

A transaction either commits or changes nothing. Every error of the database becomes a `StoreError`
with a message for people: the disk is full, the server cannot be reached, the file is no project.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, TypeVar

from filelock import BaseFileLock
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from satc.errors import SatcError
from satc.workbench.store.locking import lock_database, lock_file
from satc.workbench.store.upgrading import upgrade

_SQLITE_MAGIC = b"SQLite format 3\x00"
_BUSY_MILLISECONDS = 20_000
_WAL_PAGES = 20_000  # a server empties the log long before (`_empty_log`)
_EMPTY_LOG_SECONDS = 2.0

Transaction = Connection
_Lock = TypeVar("_Lock")


class StoreError(SatcError):
    """The database cannot carry out a request; what was saved before is safe."""


class StoreConflictError(StoreError):
    """The database already has a row with this key."""


class Store:
    """A database with projects, users and events; see `open_store`."""

    def __init__(self, engine: Engine, location: str) -> None:
        self.engine = engine
        self.location = location
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
        with _translated(self.location), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """Give a connection in a transaction, one at a time; commit unless the block raises.

        A durable transaction survives a power cut. One that is not durable survives the end of the
        process only, but is faster; it is for data whose loss does no harm.
        """
        with self._writing, _translated(self.location), self._writer() as connection:
            transaction = None if self.is_sqlite else connection.begin()
            try:
                if self.is_sqlite:
                    _set_durable(connection, durable)
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                elif not durable:
                    connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
                yield connection
                _commit(connection, transaction)
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

    def lock(self) -> None:
        """Keep every other server from this store until this process ends or `close` is called.

        Raises
        ------
        StoreError
            If another process has the lock.
        """
        if self.is_sqlite:
            self._file_lock = self._checked(lock_file(Path(f"{self.location}-lock")))
            Thread(target=self._empty_log, name="empty log", daemon=True).start()
        else:
            with _translated(self.location):
                self._session = self._lock_database()
        self._exclusive = True

    def _lock_database(self) -> Connection:
        return self._checked(lock_database(self.engine))

    def _checked(self, lock: _Lock | None) -> _Lock:
        """Return a lock; refuse the store if another process holds the lock."""
        if lock is None:
            raise StoreError(_IN_USE.format(self.location))
        return lock

    def _empty_log(self) -> None:
        """Move the write-ahead log into the file regularly, so that no request has to do it."""
        while not self._closed.wait(_EMPTY_LOG_SECONDS):
            with suppress(SQLAlchemyError, sqlite3.Error), self.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close all connections and release the lock."""
        self._closed.set()
        if self._session is not None:
            self._session.invalidate()
            self._session.close()
            self._session = None
        self.engine.dispose()
        if self._file_lock is not None:
            self._file_lock.release()


_IN_USE = (
    "{} is served by another process; stop that one first (two servers would hand out the same "
    "documents)"
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
    url = str(location)
    if url.startswith(("postgresql:", "postgres:")):
        store = Store(_postgresql(url), make_url(url).render_as_string(hide_password=True))
    else:
        _check_file(Path(location), new)
        store = Store(_sqlite(Path(location)), str(location))
    try:
        with _translated(store.location):
            upgrade(store.engine, is_sqlite=store.is_sqlite, new=new)
    except BaseException:
        store.close()
        raise
    return store


def _check_file(path: Path, new: bool) -> None:
    if new:
        return
    try:
        with path.open("rb") as file:
            head = file.read(len(_SQLITE_MAGIC))
    except OSError as error:
        raise StoreError(
            f"{path} cannot be opened: {error.strerror}; 'satc create' makes a project"
        ) from error
    if head != _SQLITE_MAGIC:
        raise StoreError(f"{path} must be a project made by 'satc create', but is something else")


def _sqlite(path: Path) -> Engine:
    # A creator instead of an address: the file's name may hold "?" or "%".
    engine = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(str(path), check_same_thread=False, isolation_level=None),
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=32,
    )

    @event.listens_for(engine, "connect")
    def _settings(connection: Any, _: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")

    return engine


def _postgresql(url: str) -> Engine:
    try:
        parsed = make_url(url).set(drivername="postgresql+psycopg")
        return create_engine(parsed, pool_size=8, max_overflow=32, pool_pre_ping=True)
    except (ArgumentError, ModuleNotFoundError) as error:
        raise StoreError(f"{url} cannot be used as a database: {error}") from error


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
