"""What a cold start learns on the way: everything is estimated anew as people decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from satc.calibration.cold.calibrator import Standing, due
from satc.ranking.cold_start import re_estimated
from satc.ranking.documents import RankedDocuments
from satc.validation.accuracy import MeasuredQueue


class LearningQueue(MeasuredQueue):
    """A queue that learns from decisions, where no labels were known before."""

    @classmethod
    def learning(cls, documents: RankedDocuments) -> Self:
        """Return a validation of prepared documents; in a cold start it learns from decisions."""
        validation = cls.of(documents)
        validation._learns = validation.model.is_cold
        return validation

    def _start(self, documents: RankedDocuments) -> None:
        super()._start(documents)
        self._learns = False  # whether decisions lead to new estimates
        self._n_learnt = 0  # decisions that the estimates were learnt from

    @property
    def standing(self) -> Standing | None:
        """What the probabilities of a cold start rest on; None where labels are known."""
        return self.model.standing

    def submit(self, i: int, labels: Any) -> None:
        """Record the true labels of document i, a vector of 0/1 with one entry per class."""
        super().submit(i, labels)
        self._learn_if_due()

    def submit_all(self, documents: Iterable[int], labels: Any) -> None:
        """Record the true labels of several documents, as `submit` does for one after another."""
        super().submit_all(documents, labels)
        self._learn_if_due()

    def undo(self, i: int | None = None) -> int:
        """Undo the last decision, or the decision on document i; return the document.

        The state is then the same as if only the other decisions had been submitted.
        """
        if self._learns:
            return self._forget(self._document_to_undo(i))
        return super().undo(i)

    def _learn_if_due(self) -> None:
        if self._learns and due(len(self._log)) != self._n_learnt:
            self._learn()

    def _learn(self) -> None:
        """Estimate everything anew from the first decisions, and go on from there."""
        n = due(len(self._log))
        learnt = self.of(re_estimated(self.documents, self.decisions[:n]))
        learnt.resume(self)
        self.__dict__.update(vars(learnt) | {"_learns": True, "_n_learnt": n})

    def _forget(self, i: int) -> int:
        """Undo the decision on document i, and learn anew if the estimates rest on it."""
        place = list(self._log).index(i)
        self._forget_accuracy()
        self._replace([i], [])
        if due(len(self._log)) != self._n_learnt or place < self._n_learnt:
            self._learn()
        return i
