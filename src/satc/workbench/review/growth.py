"""A project that holds a part of a larger set grows when an unfetched document could be the best.

Ranking the whole set takes a while, so it is done in the background, and begun before it is needed.
A person waits only where an unfetched document could come before the best one that is held: the
order is that of a project that holds everything. The documents are stored in short transactions;
only the exchange of the engine, at the end, is an action of the project's writer.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock, Thread
from time import monotonic

import numpy as np

from satc.assurance.live.accuracy import DocumentSums
from satc.assurance.live.estimator import AccuracyEstimator
from satc.files import Documents
from satc.files.faults import Faults
from satc.inputs import Labels, Scores
from satc.ranking.ranking import ranked
from satc.ranking.unfetched import UnfetchedBound
from satc.scale.sums import whole_sums
from satc.scale.window import Window
from satc.validation import Validation
from satc.workbench.model.subset_origin import SubsetOrigin
from satc.workbench.project.best_part import open_scores_of, with_texts
from satc.workbench.project.extension import store_bound, store_more, store_ranks
from satc.workbench.project.fixed_labels import with_labels
from satc.workbench.review.aside import first_line
from satc.workbench.review.desk import Desk
from satc.workbench.review.writing.exchanging import catch_up
from satc.workbench.store.documents import ids_of
from satc.workbench.store.larger_set import put_sums, read_bound, read_sums
from satc.workbench.store.predictions import read_decided, read_scores

_NEAR = 0.8  # more are fetched when they could reach this share of the best utility held
_RETRY_SECONDS = 60.0  # after a fetch that failed


class Growth:
    """Fetches documents of the whole set; `on_growth` is called when there are more."""

    def __init__(self, desk: Desk, origin: SubsetOrigin, on_growth: Callable[[], None]) -> None:
        self._desk = desk
        self._origin = origin
        self._on_growth = on_growth
        self._fetches, bound = read_bound(desk.store, desk.project, origin)
        ids = ids_of(desk.store, desk.project.key)
        model = desk.validation.model
        self._window = Window(model, origin.size, ids, bound, origin.sort_key)
        self._thread: Thread | None = None
        self._lock = Lock()
        self._failed_at = -np.inf
        self.error: str | None = None  # why the last fetch failed

    def must_wait(self, validation: Validation, document: int | None) -> bool:
        """Whether an unfetched document could be better than this one; then more are fetched.

        More are also fetched ahead, when an unfetched document could come near and few are left.
        """
        beaten = self._window.may_be_beaten(validation, document)
        few = validation.n_documents - validation.n_validated <= self._origin.size
        if beaten or (few and self._window.may_be_beaten(validation, document, share=_NEAR)):
            self.start()
        return self.error is None and beaten

    def sums(self, estimator: AccuracyEstimator) -> DocumentSums | None:
        """Return the sums that an estimate of the whole set needs, or None if that failed."""
        store, project = self._desk.store, self._desk.project
        if (known := read_sums(store, project)) is not None:
            return known
        try:
            with open_scores_of(self._origin, project.classes) as scores:
                found = whole_sums(scores, estimator, self._window.model)
        except Exception as error:  # an engine may raise anything; the work goes on
            self.error = first_line(error)
            return None
        with store.writing() as connection:
            put_sums(connection, project.key, found)
        return found

    def start(self) -> None:
        """Fetch in the background, unless a fetch is running or has just failed."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return
            if monotonic() - self._failed_at < _RETRY_SECONDS:
                return
            name = f"fetch {self._desk.project.name}"
            self._thread = Thread(target=self._run, name=name, daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait until the fetch that is running, if any, has ended."""
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            self._grow()
            self.error = None
        except Exception as error:  # an engine may raise anything; the work goes on
            self.error = first_line(error)
            self._failed_at = monotonic()

    def _grow(self) -> None:
        desk, window = self._desk, self._window
        with desk.reading():
            validation = desk.validation
            gains = validation.gains
        if len(ids := ids_of(desk.store, desk.project.key)) > validation.n_documents:
            self._load_saved(ids)
            return
        with open_scores_of(self._origin, desk.project.classes) as scores:
            part = window.fetch(scores, gains)
        documents, found = self._texts(part.ids, part.scores)
        new = [identity for some in documents for identity in some.ids]
        together = np.concatenate([validation.documents.scores, found])
        larger = self._with_labels(together, ids + new, validation.documents.decided)
        store, key = desk.store, desk.project.key
        store_more(store, key, len(ids), documents, larger.documents)
        store_bound(store, key, self._fetches, part.bound)
        self._go_on_with(larger, new, part.bound, self._fetches + 1)

    def _load_saved(self, ids: list[str]) -> None:
        """Load documents that were stored by a fetch that did not come to its end."""
        desk, held = self._desk, self._desk.validation.n_documents
        saved = read_decided(desk.store, desk.project)
        larger = self._with_labels(read_scores(desk.store, desk.project), ids, saved)
        store_ranks(desk.store, desk.project.key, ranked(larger.documents), held)
        fetches, bound = read_bound(desk.store, desk.project, self._origin)
        self._go_on_with(larger, ids[held:], bound, fetches)

    def _go_on_with(
        self, larger: Validation, new: list[str], bound: UnfetchedBound, fetches: int
    ) -> None:
        """Exchange the engine; only the last few decisions are replayed while people wait."""
        catch_up(larger, self._desk)

        def exchange() -> None:
            self._desk.replace_validation(larger)
            self._window.hold(new, bound)
            self._fetches = fetches

        self._desk.act_alone(exchange)
        self._on_growth()

    def _with_labels(self, scores: Scores, ids: list[str], known: Labels) -> Validation:
        """Return a validation of documents of the set; the first ones keep their known labels."""
        larger = self._window.validation(scores, ids)
        labels = np.concatenate([known, larger.documents.decided[len(known) :]])
        documents = with_labels(larger.documents, labels, is_part=True)
        return larger if documents is larger.documents else Validation.of(documents)

    def _texts(self, ids: list[object], scores: Scores) -> tuple[list[Documents], Scores]:
        """Return the documents block by block, and the scores of all of them."""
        if not ids:
            return [], scores
        faults = Faults(Path(self._origin.documents))
        settings = self._desk.project.settings
        blocks = list(with_texts(self._origin, settings, ids, scores, faults))
        if sum(len(documents) for documents, _ in blocks) < len(ids):
            faults.check()
        return [documents for documents, _ in blocks], np.concatenate([s for _, s in blocks])
