"""Keeps the index of near-duplicates of an open project, which is made in the background.

Making it takes about 20 seconds of a processor for 100,000 documents of 200 words. A process of low
priority does so, unless the project is small. Until it is done, no near-duplicates are found. If
the project gets more documents, it is made again.
"""

from __future__ import annotations

from threading import Lock, Thread
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from satc.workbench.review.aside import first_line, run_in_process
from satc.workbench.review.desk import Desk
from satc.workbench.review.near_duplicates.index import NearDuplicateIndex, make_index
from satc.workbench.store import Store
from satc.workbench.store.documents import iter_texts
from satc.workbench.store.projects import Project

_FEW = 2_000  # so many documents are indexed by a thread of the server
_RETRY_SECONDS = 60.0  # after an attempt that failed


class NearDuplicates:
    """The index of near-duplicates of an open project; there is none until it is made."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._index: NearDuplicateIndex | None = None
        self._thread: Thread | None = None
        self._lock = Lock()
        self._failed_at = -np.inf
        self.error: str | None = None  # why the last attempt failed

    @property
    def is_ready(self) -> bool:
        """Whether all documents of the project are indexed."""
        return self._index is not None and self._index.n_documents >= self._desk.project.n_documents

    def start(self) -> None:
        """Make the index in the background, unless it is there, being made, or has just failed."""
        with self._lock:
            if self.is_ready or (self._thread is not None and self._thread.is_alive()):
                return
            if monotonic() - self._failed_at < _RETRY_SECONDS:
                return
            name = f"near-duplicates {self._desk.project.name}"
            self._thread = Thread(target=self._run, name=name, daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait until the index is made, or could not be made."""
        self.start()
        if self._thread is not None:
            self._thread.join()

    def candidates(self, document: int) -> NDArray[np.intp]:
        """Return the documents that are probably nearly the same, the most similar first."""
        if self._index is None or document >= self._index.n_documents:
            return np.empty(0, dtype=np.intp)
        return self._index.candidates(document)

    def _run(self) -> None:
        store, project = self._desk.store, self._desk.project
        try:
            if project.n_documents <= _FEW:
                self._index = index_project(store, project)
            else:
                self._index = run_in_process(store, project, index_project)
            self.error = None
        except Exception as error:  # people work without it
            self.error = first_line(error)
            self._failed_at = monotonic()


def index_project(store: Store, project: Project) -> NearDuplicateIndex:
    """Index the texts of a stored project."""
    return make_index(iter_texts(store, project.key))
