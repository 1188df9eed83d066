"""Ask SQLite whether its file is whole. PostgreSQL checks pages and keys by itself."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from satc.workbench.store.digests.faults import UNREADABLE, Fault, unreadable

_MOST = 20  # problems that SQLite lists


def database_faults(connection: Connection) -> Iterator[Fault]:
    """Yield what SQLite says about the structure of its file."""
    if connection.dialect.name != "sqlite":
        return
    try:
        for (line,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST})").all():
            if line != "ok":
                yield Fault("file", "the structure of the file", f"is damaged: {line}")
        for table, row, parent, *_ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
            place = f"row {row} of the table {table}"
            yield Fault("file", place, f"must belong to a row of {parent}, but does not")
    except UNREADABLE as error:
        yield unreadable("file", "the file", error)
