"""The limit on the threads of linear algebra (BLAS), of which a process has only one.

Threads that multiply matrices side by side should use one thread of BLAS each: its threads wait for
each other in every product, which takes many times as long for small products on busy processors.
Several callers can need this at the same time. The first one sets the limit, and the last one
restores it; in between, `allowed_threads` still returns what was allowed before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import threadpoolctl


class BlasLimit:
    """A limit of one thread, which any number of callers can need at the same time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_users = 0
        self._allowed = 1  # threads, before the first of the users
        self._limiter: Any = None

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Let every product use one thread, in the whole process, until the last caller ends."""
        self._begin()
        try:
            yield
        finally:
            self._end()

    def allowed_threads(self) -> int:
        """Return how many threads BLAS may use, apart from the limit that is set here."""
        with self._lock:
            return self._allowed if self._n_users else _most_threads(libraries())

    def _begin(self) -> None:
        with self._lock:
            if not self._n_users:
                self._allowed = _most_threads(libraries())
                is_needed = _most_threads(shared_libraries()) > 1
                self._limiter = shared_libraries().limit(limits=1) if is_needed else None
            self._n_users += 1

    def _end(self) -> None:
        """Restore what the first caller found, unless somebody else has set another limit."""
        with self._lock:
            self._n_users -= 1
            if self._n_users or self._limiter is None or _most_threads(shared_libraries()) > 1:
                return
            _release_control()
            self._limiter.restore_original_limits()
            _release_control()


_limit = BlasLimit()
one_blas_thread = _limit.one_thread
allowed_threads = _limit.allowed_threads


def _release_control() -> None:
    """Let any thread change the limit; newer versions of threadpoolctl bind it to one thread."""
    openblas = getattr(threadpoolctl, "OpenBLASController", None)
    if (clear := getattr(openblas, "clear_controlling_thread", None)) is not None:
        clear(force=True)


def _most_threads(controller: Any) -> int:
    return max((pool["num_threads"] for pool in controller.info()), default=1)


@cache
def libraries() -> Any:
    """Return the libraries of linear algebra that are loaded; to find them takes milliseconds."""
    return threadpoolctl.ThreadpoolController().select(user_api="blas")


@cache
def shared_libraries() -> Any:
    """Return those of the libraries that have one limit for all threads.

    With OpenMP, OpenBLAS has a limit for each thread, which another thread could not restore.
    """
    own = libraries().select(internal_api="openblas").select(threading_layer="openmp")
    excluded = {pool["filepath"] for pool in own.info()}
    paths = [pool["filepath"] for pool in libraries().info()]
    return libraries().select(filepath=[path for path in paths if path not in excluded])
