"""Whether the server is ready: all projects have been opened, and the store can be used."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Lock, Thread
from time import monotonic

from satc.workbench.store import Store, StoreError
from satc.workbench.store.projects import count_projects

_FRESH_SECONDS = 1.0  # how long the result of a check is used again
_PATIENCE_SECONDS = 2.0  # a check that takes longer has failed


class Readiness:
    """Says whether the server is ready.

    `is_opened` is set when all projects are open or have failed to open. The store is checked when
    somebody asks, in a thread of its own, once at a time and at most once per second.
    """

    def __init__(self, store: Store, *, is_opened: bool = True) -> None:
        self.is_opened = is_opened
        self._store = store
        self._lock = Lock()
        self._checked_at = 0.0
        self._check: Future[bool] | None = None

    async def is_ready(self) -> bool:
        """Whether the projects have been opened and the store can be used now."""
        if not self.is_opened:
            return False
        check = asyncio.wrap_future(self._latest_check())
        done, _ = await asyncio.wait({check}, timeout=_PATIENCE_SECONDS)
        return bool(done) and check.result()

    def is_store_usable(self) -> bool:
        """Whether the store can be used now; a thread may wait for the answer."""
        try:
            return self._latest_check().result(_PATIENCE_SECONDS)
        except TimeoutError:
            return False

    def _latest_check(self) -> Future[bool]:
        """Return the check that is running or fresh; begin one if there is none."""
        with self._lock:
            if self._check is not None:
                is_fresh = monotonic() - self._checked_at < _FRESH_SECONDS
                if is_fresh or not self._check.done():
                    return self._check
            self._check, self._checked_at = Future(), monotonic()
            Thread(target=self._run, args=(self._check,), name="check store", daemon=True).start()
            return self._check

    def _run(self, check: Future[bool]) -> None:
        usable = False
        try:
            usable = _is_usable(self._store)
        finally:
            check.set_result(usable)


def _is_usable(store: Store) -> bool:
    """Whether the database of a store can be read, and its file is still the same."""
    try:
        count_projects(store)
    except StoreError:
        return False
    return store.is_in_place()
