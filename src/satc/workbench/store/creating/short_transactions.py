"""Write many rows in short transactions, so that other writers hardly wait.

SQLite has one writer at a time for a file, in all processes together. So rows are written in
batches, whose size follows from the time that the batch before them took, with a pause after each.
The batches are not flushed to the disk: a durable transaction that comes after them flushes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from functools import partial
from time import perf_counter, sleep
from typing import TypeVar

from satc.workbench.store.connection import Store, Transaction

Item = TypeVar("Item")

_SECONDS = 0.015  # that a transaction should take
_FIRST, _LEAST, _MOST = 128 << 10, 16 << 10, 4 << 20  # bytes in one transaction
_GROWTH = 1.5  # at most, from one transaction to the next


class ShortTransactions:
    """Writes batches of items to a store.

    Parameters
    ----------
    store
        Where to write.
    is_shared
        Whether others write to the same database. If not, batches are large, and there is no pause.
    writer
        Runs the transactions, by default the thread that calls. A process of low priority passes a
        thread of normal priority: whoever waits for the end of a transaction waits for its thread.
    """

    def __init__(
        self, store: Store, *, is_shared: bool = True, writer: Executor | None = None
    ) -> None:
        self.store = store
        self.is_shared = is_shared
        self._writer = writer
        self._size = float(_FIRST if is_shared else _MOST)

    def write(
        self,
        items: Iterable[Item],
        size: Callable[[Item], int],
        put: Callable[[Transaction, list[Item]], object],
    ) -> None:
        """Write all items; `size` returns the bytes of one, and `put` writes some of them."""
        for batch in self._batches(items, size):
            self.run(partial(_put, put, batch))

    def run(self, put: Callable[[Transaction], object], *, durable: bool = False) -> None:
        """Call a function in a transaction, and pause as long as the transaction took."""
        if self._writer is None:
            seconds = self._run(put, durable)
        else:
            seconds = self._writer.submit(self._run, put, durable).result()
        if self.is_shared:
            sleep(seconds)
            wanted = self._size * min(_GROWTH, _SECONDS / max(seconds, 1e-6))
            self._size = min(max(wanted, _LEAST), _MOST)

    def _run(self, put: Callable[[Transaction], object], durable: bool) -> float:
        with self.store.writing(durable=durable) as connection:
            start = perf_counter()  # the wait for others is over
            put(connection)
        return perf_counter() - start

    def _batches(self, items: Iterable[Item], size: Callable[[Item], int]) -> Iterator[list[Item]]:
        batch: list[Item] = []
        held = 0
        for item in items:
            batch.append(item)
            held += size(item)
            if held >= self._size:
                yield batch
                batch, held = [], 0
        if batch:
            yield batch


def _put(
    put: Callable[[Transaction, list[Item]], object], batch: list[Item], connection: Transaction
) -> None:
    put(connection, batch)
