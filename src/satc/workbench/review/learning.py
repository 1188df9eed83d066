"""A project of which no label was known at first learns from the decisions of people.

After 10, 20, 40, ... decisions, the probabilities and the order are estimated anew from all
decisions so far. This takes a while, so it is done in the background: people go on under the former
estimates. Only the exchange of the engine is an action of the project's writer. It saves an event
that says which decisions the estimates come from, so that a restart estimates the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock, Thread
from time import monotonic
from typing import NamedTuple

import numpy as np

from satc.calibration.cold.calibrator import due
from satc.decisions import Decided
from satc.ranking.misclassification import Misclassification
from satc.ranking.model import RankingModel
from satc.validation import Validation
from satc.workbench.model.events import Learnt
from satc.workbench.project.history import read_history
from satc.workbench.project.opening import open_documents
from satc.workbench.review.aside import first_line, run_aside
from satc.workbench.review.desk import Desk
from satc.workbench.review.writing.exchanging import catch_up
from satc.workbench.store import Store
from satc.workbench.store.projects import Project

_RETRY_SECONDS = 60.0  # after an attempt that failed


class Estimates(NamedTuple):
    """What decisions change of documents (`RankedDocuments`)."""

    model: RankingModel
    misclassification: Misclassification | None
    decisions: Decided | None


class Learning:
    """Estimates a project anew in the background; `on_learnt` is called afterwards."""

    def __init__(self, desk: Desk, on_learnt: Callable[[], None]) -> None:
        self._desk = desk
        self._on_learnt = on_learnt
        self._thread: Thread | None = None
        self._lock = Lock()
        self._failed_at = -np.inf
        self.error: str | None = None  # why the last attempt failed

    def is_due(self) -> bool:
        """Whether there are enough new decisions, or the engine lacks what the log says."""
        state = self._desk.state
        learnt = state.learnt
        if learnt != state.record.learnt:
            return True
        return due(state.validation.n_validated) > (0 if learnt is None else learnt.n_decisions)

    def update(self) -> None:
        """Learn in the background if it is due, unless that is running or has just failed."""
        if not self.is_due() or monotonic() - self._failed_at < _RETRY_SECONDS:
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                name = f"learn {self._desk.project.name}"
                self._thread = Thread(target=self._run, name=name, daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Wait until everything is learnt that is due now."""
        self.update()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            while self.is_due():
                while self.is_due():  # the estimate of accuracy, which follows, can wait
                    self._learn()
                self.error = None
                self._on_learnt()
        except Exception as error:  # people can go on under the former estimates
            self.error = first_line(error)
            self._failed_at = monotonic()

    def _learn(self) -> None:
        desk, learnt = self._desk, self._to_learn()
        found = run_aside(desk.store, desk.project, learnt_estimates, learnt)
        learned = Validation.of(replace(desk.validation.documents, **found._asdict()))
        catch_up(learned, desk)
        desk.learn(learned, learnt)

    def _to_learn(self) -> Learnt:
        """Return the decisions to learn from: those that the log names, or all so far."""
        desk = self._desk
        with desk.locked():  # the events that are named must be stored
            record = desk.record
            if record.learnt is not None and desk.state.learnt != record.learnt:
                return record.learnt
            return Learnt(record.last_number, desk.validation.n_validated)


def learnt_estimates(store: Store, project: Project, learnt: Learnt) -> Estimates:
    """Estimate the documents of a project anew, from the decisions that `learnt` names."""
    found = open_documents(store, project, read_history(store, project), learnt)
    return Estimates(found.model, found.misclassification, found.decisions)
