"""One consistent view of a store for several queries, while others write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from satc.workbench.store.connection import Store


@contextmanager
def snapshot(store: Store) -> Iterator[Connection]:
    """Give a connection whose queries all see the same state of the store."""
    with store.reading() as connection:
        if store.is_sqlite:
            connection.exec_driver_sql("BEGIN")
        else:
            connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        try:
            yield connection
        finally:
            connection.rollback()
