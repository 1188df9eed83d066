"""Matrix products of blocks of documents, in threads.

One product in one thread for each block, several blocks at a time: the threads of BLAS wait for
each other in every product, which takes many times as long for small products on busy processors.
There are as many threads as BLAS is allowed to use, so `OMP_NUM_THREADS` limits them as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from threadpoolctl import threadpool_info, threadpool_limits


def n_threads() -> int:
    """Return the number of threads that BLAS may use."""
    allowed = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return max(allowed, default=1)


def in_threads(work: Callable[[slice], None], rows: Iterable[slice]) -> None:
    """Call a function for each slice of rows; calls must not write to the same rows."""
    threads = n_threads()
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, rows):
            pass


def even_parts(n: int) -> list[slice]:
    """Return slices of n rows, one for each thread."""
    size = max(1, -(-n // n_threads()))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
