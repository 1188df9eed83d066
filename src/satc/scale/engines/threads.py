"""Apply a function to batches on several threads; the function works without the GIL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from typing import Any

import pyarrow as pa

from satc.machine.threads import one_thread
from satc.scale.engines.batches import Batches, MapBatches


def on_one_thread(function: MapBatches, batches: Batches) -> Batches:
    """Apply a function to batches; its compiled loops use the calling thread only."""
    with one_thread():
        yield from function(batches)


class SharedBatches:
    """An iterator that several threads read; after an error in one of them, it ends for all."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._lock = Lock()
        self._stopped = False

    def __iter__(self) -> SharedBatches:
        return self

    def __next__(self) -> pa.RecordBatch:
        with self._lock:
            if self._stopped:
                raise StopIteration
            try:
                return next(self._batches)
            except BaseException:
                self._stopped = True
                raise

    def stop(self) -> None:
        """End the iteration."""
        self._stopped = True


def map_on_threads(
    batches: Batches, function: MapBatches, write: Callable[[pa.RecordBatch], Any], n_threads: int
) -> None:
    """Call the function on every thread with some of the batches; write all results.

    One result is written at a time, in any order.
    """
    shared, lock = SharedBatches(batches), Lock()

    def work() -> None:
        try:
            for result in on_one_thread(function, shared):
                with lock:
                    write(result)
        except BaseException:
            shared.stop()
            raise

    with ThreadPoolExecutor(n_threads) as pool:
        try:
            futures = [pool.submit(work) for _ in range(n_threads)]
            wait(futures)
        except BaseException:  # Ctrl-C, while this thread waits for the others
            shared.stop()
            raise
    for future in futures:
        future.result()
