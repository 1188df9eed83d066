"""The live accuracy of a project of which no label was known at first.

It rests on the documents that the audit drew at random (`satc.assurance.live.cold`). Until enough
of them are decided there is no estimate, and `why_unknown` says what is missing. The model is built
again, in the background, when the project has learnt anew, and when there are many more random
documents.
"""

from __future__ import annotations

from collections.abc import Collection
from threading import Thread
from time import monotonic

import numpy as np

from satc.assurance.live.accuracy import AccuracyModel
from satc.assurance.live.cold import LEAST_DRAWN, cold_accuracy_model
from satc.validation import Validation
from satc.workbench.messages import Message
from satc.workbench.model.events import Learnt
from satc.workbench.project.history import read_history
from satc.workbench.project.opening import decisions_after, open_documents
from satc.workbench.review.accuracy.forecast import AgedOutlook
from satc.workbench.review.accuracy.live import LiveAccuracy, Point
from satc.workbench.review.aside import first_line, run_aside
from satc.workbench.review.desk import Desk
from satc.workbench.store import Store
from satc.workbench.store.projects import Project

_RETRY_SECONDS = 60.0  # after an attempt that failed
_MORE_DRAWN = 1.25  # the model is built again when there are so many times the random documents


class ColdAccuracy(LiveAccuracy):
    """The live accuracy of a project that learns from its decisions."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._built_for: Validation | None = None  # the engine that has the model
        self._n_drawn = 0  # random documents that the model rests on
        self._thread: Thread | None = None
        self._failed_at = -np.inf
        self.error: str | None = None  # why the last attempt to build the model failed

    def prepare(self) -> None:
        """Build the model of accuracy, if enough random documents are decided."""
        with self._renewing:
            with self._desk.locked():  # the events that are named below must be stored
                validation, decisions = self._desk.validation, self._desk.validation.decisions
                after, drawn = self._desk.record.last_number, self._decided_draws()
                learnt = self._desk.state.learnt
            if len(drawn) < LEAST_DRAWN:
                return
            store, project = self._desk.store, self._desk.project
            model = run_aside(store, project, drawn_model, learnt, after, drawn)
            model.validate_all(decisions)
            with self._lock, self._desk.reading():  # in the order of `latest`
                validation.attach(model, decisions)
                self._model, self._changes = model, -1
                self._built_for, self._n_drawn = validation, len(drawn)

    def renew(self) -> None:
        """Build the model again; an error becomes a message, because the work goes on."""
        try:
            self.prepare()
            self.error = None
        except Exception as error:
            self.error = first_line(error)
            self._failed_at = monotonic()

    def start(self) -> Thread:
        """Build the model in the background, unless that is being done."""
        if self._thread is None or not self._thread.is_alive():
            name = f"estimate {self._desk.project.name}"
            self._thread = Thread(target=self.renew, name=name, daemon=True)
            self._thread.start()
        return self._thread

    def latest(self) -> Point | None:
        """Return the present estimate; None while too few random documents are decided."""
        if not self._is_known():
            return None
        if self._is_due() and monotonic() - self._failed_at > _RETRY_SECONDS:
            self.start()
        if self._built_for is self._desk.validation:
            return super().latest()
        return self.points[-1] if self.points else None  # until the new model is there

    def outlook(self, *, minutes: float | None = None) -> AgedOutlook | None:
        """Forecast the work ahead; None while too few random documents are decided."""
        return super().outlook(minutes=minutes) if self._is_known() else None

    def known_outlook(self) -> AgedOutlook | None:
        """Return the last forecast; None while too few random documents are decided."""
        return super().known_outlook() if self._is_known() else None

    def messages(self) -> list[Message]:
        """Return the technical problems of the estimate."""
        failed = [] if self.error is None else [Message("server.estimate_failed", error=self.error)]
        return [*super().messages(), *failed]

    def why_unknown(self) -> Message | None:
        """Say what an estimate of accuracy needs; None if it is known."""
        with self._desk.reading():
            missing = LEAST_DRAWN - self._n_decided_draws()
            left = self._desk.project.n_documents - self._desk.validation.n_validated
        share = self._desk.project.settings.audit
        if missing <= 0:
            return None
        if not share:
            return Message("server.accuracy_no_audit")
        if left < missing:
            return Message("server.accuracy_too_few_left", n=missing, left=left)
        if share == 1.0:
            return Message("server.accuracy_needs_random_all", n=missing)
        return Message("server.accuracy_needs_random", n=missing, share=share)

    def _decided_draws(self) -> list[int]:
        """Return the documents that were drawn at random and are decided."""
        record = self._desk.record
        return [i for i in record.drawn_for_audit if record.current_decision(i) is not None]

    def _n_decided_draws(self) -> int:
        record = self._desk.record
        return len(record.drawn_for_audit) - len(record.undecided_draws)

    def _is_known(self) -> bool:
        with self._desk.reading():
            return self._n_decided_draws() >= LEAST_DRAWN

    def _is_due(self) -> bool:
        with self._desk.reading():
            more = self._n_decided_draws() >= _MORE_DRAWN * self._n_drawn
        return more or self._built_for is not self._desk.validation


def drawn_model(
    store: Store, project: Project, learnt: Learnt | None, after: int, drawn: Collection[int]
) -> AccuracyModel:
    """Return the model of accuracy for estimates that were learnt from some decisions.

    It rests on the random documents `drawn` and on the decisions in force after an event.
    """
    history = read_history(store, project)
    documents = open_documents(store, project, history, learnt)
    return cold_accuracy_model(documents, decisions_after(project, history, after), drawn)
