"""The score by which Label Studio sorts its tasks: where the document stands in the order of satc.

The first document to check has the score 0, and the last one almost 1: Label Studio takes a score
for a confidence, and its uncertainty sampling begins with the lowest one. All scores of a version
come from one order, so that they can be compared. The version changes when the order has changed:
in a project that learns, or whose order follows each correction, after 10, 20, 40, ... decisions.
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.cold.calibrator import due
from satc.ranking.ranking import ranked
from satc.workbench.review.desk import Desk

MODEL = "satc"  # the first part of a version


class Order(NamedTuple):
    """The scores of all documents, and the version of the model that gives them."""

    version: str
    scores: NDArray[np.float64]


class OrderOfTasks:
    """The order of a project, computed once for each version."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = Lock()
        self._known: Order | None = None

    def version(self) -> str:
        """Return the version of the order now."""
        with self._desk.reading():
            return self._version()

    def now(self) -> Order:
        """Return the order now."""
        with self._lock, self._desk.reading():
            version, n = self._version(), self._desk.project.n_documents
            if self._known is None or (self._known.version, len(self._known.scores)) != (
                version,
                n,
            ):
                self._known = Order(version, self._scores())
            return self._known

    def _version(self) -> str:
        state = self._desk.state
        parts = [MODEL]
        if state.learnt is not None:
            parts.append(str(state.learnt.n_decisions))
        elif state.validation.model.method.is_dynamic:
            parts.append(str(due(state.validation.n_validated)))
        if state.project.settings.stored is not None:  # documents are added
            parts.append(f"of-{state.project.n_documents}")
        return "-".join(part for part in parts if part != "0")

    def _scores(self) -> NDArray[np.float64]:
        validation = self._desk.validation
        n = validation.n_documents
        scores = np.ones(n)  # of documents that a changing order no longer has
        if validation.model.method.is_dynamic:
            order = validation.remaining()
        else:
            order = ranked(validation.documents).order
        scores[order] = np.arange(len(order)) / n
        return scores
