"""Compiled loops over parts of the data, in threads that share the processors with other programs.

The parts are taken one after the other by whichever thread is free, so a thread that has to wait
for a processor holds up nobody. (Threads of OpenMP wait for each other by spinning.) There are as
many threads as this process may use processors, and at most as many as BLAS may use, so
`OMP_NUM_THREADS` and `threadpoolctl` limit them as well. Each of them multiplies matrices in one
thread of BLAS. Where the caller runs several threads itself, `one_thread` avoids threads within
threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from satc.machine.blas import allowed_threads, one_blas_thread
from satc.machine.processors import allowed_processors

Part = TypeVar("Part")
Result = TypeVar("Result")

_state = threading.local()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let `in_threads` run in the calling thread only.

    >>> with one_thread():
    ...     n_threads()
    1
    """
    before = _is_alone()
    _state.alone = True
    try:
        yield
    finally:
        _state.alone = before


def n_threads() -> int:
    """Return how many threads `in_threads` may use."""
    if _is_alone():
        return 1
    return max(1, min(allowed_processors(), allowed_threads()))


def even_parts(n: int) -> list[slice]:
    """Return slices of n rows, one for each thread that may be used.

    >>> with one_thread():
    ...     even_parts(5)
    [slice(0, 5, None)]
    """
    size = max(1, -(-n // n_threads()))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def in_threads(work: Callable[[Part], object], parts: Sequence[Part]) -> None:
    """Call a function for each part; it should not hold the interpreter's lock."""
    for _ in map_in_threads(work, parts):
        pass


def map_in_threads(work: Callable[[Part], Result], parts: Sequence[Part]) -> Iterator[Result]:
    """Iterate over the results of a function for each part, in the order of the parts.

    >>> list(map_in_threads(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    threads = min(len(parts), n_threads()) if len(parts) > 1 else 1
    if threads == 1 and not _is_alone():  # linear algebra may use all its threads
        yield from map(work, parts)
        return
    with one_blas_thread():
        if threads == 1:
            yield from map(work, parts)
            return
        with ThreadPoolExecutor(threads, initializer=_be_alone) as pool:
            yield from pool.map(work, parts)


def _is_alone() -> bool:
    """Whether the caller uses the other processors itself."""
    return getattr(_state, "alone", False)


def _be_alone() -> None:
    _state.alone = True
