"""A project that holds a part of a larger set grows when a document outside could be the best.

Looking at the whole set takes as long as ranking it, so it is done beside the work, and begun
before it is needed. A person waits only where the best document that is held could be behind one
that is not: the order is that of a project that holds everything.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock, Thread
from time import monotonic

import numpy as np

from satc.assurance.live.accuracy import WholeSums
from satc.assurance.live.estimator import AccuracyEstimator
from satc.files import Documents
from satc.files.faults import Faults
from satc.inputs import Scores
from satc.ranking.setting import part_of
from satc.validation import Validation
from satc.workbench.model.subset_origin import StoredSet
from satc.workbench.project.best_part import opened, with_texts
from satc.workbench.project.larger_set import put_sums, read_outside, read_sums, ties
from satc.workbench.review.desk import Desk
from satc.workbench.store.documents import ids_of
from satc.workbench.store.predictions import read_scores

_AHEAD = 0.8  # of the utility at hand: when what is outside may be worth this, it is looked at
_AGAIN_SECONDS = 60.0  # after a look that failed


class Growth:
    """Fetches documents from the whole set; `follow` is told when there are more."""

    def __init__(self, desk: Desk, stored: StoredSet, follow: Callable[[], None]) -> None:
        self._desk = desk
        self._stored = stored
        self._follow = follow
        self._looks, self._outside = read_outside(desk.store, desk.project.key, stored)
        self._ids = ids_of(desk.store, desk.project.key)
        self._thread: Thread | None = None
        self._lock = Lock()
        self._failed_at = -np.inf
        self.error: str | None = None  # why the last look failed

    def must_wait(self, validation: Validation, document: int | None) -> bool:
        """Whether a document outside could be better than this one; then more are fetched."""
        gains = validation.setting.weighed(validation.gains)
        utility, identity = -np.inf, None
        if document is not None:
            utility = validation.utility(document)
            identity = self._stored.key(self._ids[document])
        if self._outside.may_beat(_AHEAD * utility if utility > 0 else utility, gains):
            self.start()
        return self.error is None and self._outside.may_beat(utility, gains, identity)

    def sums(self, estimator: AccuracyEstimator) -> WholeSums | None:
        """Return what an estimate of the whole set needs; None where it cannot be had."""
        store, project = self._desk.store, self._desk.project
        if (known := read_sums(store, project.key)) is not None:
            return known
        from satc.scale.sums import whole_sums

        try:
            with opened(self._stored, project.classes) as scores:
                found = whole_sums(scores, estimator)
        except Exception as error:  # an engine may raise anything; the work goes on
            self.error = _said(error)
            return None
        with store.writing() as connection:
            put_sums(connection, project.key, found)
        return found

    def start(self) -> None:
        """Look at the whole set, unless that goes on already or has just failed."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return
            if monotonic() - self._failed_at < _AGAIN_SECONDS:
                return
            name = f"fetch {self._desk.project.name}"
            self._thread = Thread(target=self._work, name=name, daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait until a look that goes on has come to its end."""
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        try:
            self._grow()
            self.error = None
        except Exception as error:  # an engine may raise anything; the work goes on
            self.error = _said(error)
            self._failed_at = monotonic()

    def _grow(self) -> None:
        from satc.scale.best_part import best_outside

        desk, stored = self._desk, self._stored
        with desk.locked():
            validation = desk.validation
            gains = validation.gains
        ids = ids_of(desk.store, desk.project.key)
        if len(ids) > validation.n_documents:
            self._take_up(validation, ids)
            return
        with opened(stored, desk.project.classes) as scores:
            part = best_outside(scores, validation.setting, gains, ids, stored.size)
        documents, found = self._texts(part.ids, part.scores)
        ids += [identity for some in documents for identity in some.ids]
        together = np.concatenate([validation.setting.scores, found])
        larger = Validation.of(part_of(validation.setting, together, ties(stored, ids)))
        with desk.locked():
            desk.extend(documents, larger, self._looks, part.outside)
            self._looks, self._outside, self._ids = self._looks + 1, part.outside, ids
        self._follow()

    def _take_up(self, validation: Validation, ids: list[str]) -> None:
        """Take up what an earlier look has saved, when word of that was lost."""
        desk, stored = self._desk, self._stored
        scores = read_scores(desk.store, desk.project)
        larger = Validation.of(part_of(validation.setting, scores, ties(stored, ids)))
        with desk.locked():
            desk.replace_validation(larger)
            self._looks, self._outside = read_outside(desk.store, desk.project.key, stored)
            self._ids = ids
        self._follow()

    def _texts(self, ids: list[object], scores: Scores) -> tuple[list[Documents], Scores]:
        """Return the documents block by block, and all their scores."""
        if not ids:
            return [], scores
        faults = Faults(Path(self._stored.documents))
        blocks = list(with_texts(self._stored, self._desk.project.settings, ids, scores, faults))
        if sum(len(documents) for documents, _ in blocks) < len(ids):
            faults.check()
        return [documents for documents, _ in blocks], np.concatenate([s for _, s in blocks])


def _said(error: Exception) -> str:
    """Return the first line of what an error says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
