"""The accuracy of the labels during a validation, and the work until a target is reached."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from satc.assurance.live.accuracy import Accuracy, AccuracyModel
from satc.assurance.live.cold import cold_accuracy_model
from satc.assurance.live.estimator import accuracy_model
from satc.assurance.live.planner import Outlook, Plan
from satc.assurance.live.plug_in import plug_in
from satc.errors import DriftWarning
from satc.measures import Measure, parse
from satc.ranking.cold_start import Decisions
from satc.ranking.documents import RankedDocuments
from satc.validation.queue import DocumentQueue
from satc.validation.state import LoggedDecision

_MORE_DRAWN = 1.25  # an accuracy model is built again when there are so many times the documents


class MeasuredQueue(DocumentQueue):
    """A queue that also estimates how accurate the labels are."""

    def _start(self, documents: RankedDocuments) -> None:
        super()._start(documents)
        self._forget_accuracy()

    def _forget_accuracy(self) -> None:
        """Build the accuracy model again when it is needed."""
        self._accuracy_model: AccuracyModel | None = None
        self._drifted = False
        self._n_drawn = 0  # how many random documents the accuracy model rests on

    def accuracy(
        self,
        *,
        measure: str | Measure | None = None,
        average: str | None = None,
        level: float = 0.95,
    ) -> Accuracy:
        """Estimate the accuracy of the current labels, with an interval.

        The labels of the documents that are not validated are drawn from calibrated probabilities;
        the labels of validated documents are fixed. The first call estimates from the training
        documents how reliable the probabilities are, which takes as long as several fits of the
        calibrator. Later calls are fast. Needs `oof_scores` and `y_train`; without them, it rests
        on documents that `draw` gave, and raises `NotKnownYetError` until there are enough.

        Parameters
        ----------
        measure, average : optional
            What to estimate; by default, the measure and the average of the validation.
        level : float
            The share of the draws that the interval contains.

        Returns
        -------
        Accuracy
            ``value``, ``low``, ``high``, the same for every class in ``classes``, and in
            ``assumption`` whether the corrections so far agree with the probabilities. When they
            no longer agree, a `DriftWarning` is issued, and the estimate follows the corrections.

        Examples
        --------
        >>> import satc
        >>> from sklearn.datasets import make_multilabel_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, Y = make_multilabel_classification(300, n_classes=4, random_state=0)
        >>> clf = satc.SemiAutomatedClassifier(LogisticRegression(), cv=5).fit(X[:200], Y[:200])
        >>> v = clf.validation(X[200:])
        >>> before = v.accuracy()
        >>> for _ in range(50):
        ...     i = v.next()
        ...     v.submit(i, Y[200 + i])
        >>> after = v.accuracy()
        >>> before.low < before.value < before.high, after.value > before.value
        (True, True)
        """
        accuracy = self._live_model().accuracy(*self._measure_and_average(measure, average), level)
        drifted = not accuracy.assumption.holds
        if drifted and not self._drifted:
            warnings.warn(accuracy.assumption.message, DriftWarning, stacklevel=2)
        self._drifted = drifted
        return accuracy

    def plug_in_accuracy(
        self, *, measure: str | Measure | None = None, average: str | None = None
    ) -> float:
        """Return the estimate of the paper: the measure of the estimated and corrected cells.

        It is too low for rare classes; see `accuracy`. In a cold start it is known when that is.
        """
        if self.model.is_cold:
            self._live_model()
        tables = self.model.class_tables
        if tables is None:
            tables = self.model.kfold_tables(self.n_documents)
        documents = self.order
        return plug_in(
            tables,
            self._decided[documents],
            self.labels[documents],
            *self._measure_and_average(measure, average),
        )

    def outlook(
        self,
        *,
        measure: str | Measure | None = None,
        average: str | None = None,
        minutes: Any = None,
    ) -> Outlook:
        """Predict how the measure will rise as the remaining documents are validated.

        Parameters
        ----------
        measure, average : optional
            What to estimate; by default, the measure and the average of the validation.
        minutes : float, or one number per document, optional
            The reading time; by default the `costs` of the validation, if given.

        Returns
        -------
        Outlook
            ``outlook.plan(0.95, 0.9)`` returns how many documents, how many hours and how much
            money are needed to reach 0.95 with probability 0.9; ``outlook.afford(hours=8)`` what
            can be reached in 8 hours.
        """
        costs = self.documents.costs
        if minutes is None and costs is not None and (costs != 1.0).any():
            minutes = costs
        return Outlook(
            self._live_model(),
            self.remaining(),
            *self._measure_and_average(measure, average),
            minutes,
        )

    def plan(
        self,
        target: float,
        probability: float = 0.9,
        *,
        measure: str | Measure | None = None,
        average: str | None = None,
        minutes: Any = None,
        price: float | None = None,
    ) -> Plan:
        """Estimate how much work is needed until the measure reaches a target with a probability.

        `minutes` is the reading time (see `outlook`), `price` the price of an hour.
        """
        outlook = self.outlook(measure=measure, average=average, minutes=minutes)
        return outlook.plan(target, probability, price=price)

    def attach(self, model: AccuracyModel, known: Decisions = ()) -> None:
        """Use an accuracy model that was built before, for example in another thread.

        `satc.assurance.live.estimator.accuracy_model(v.documents)` builds one, which can be slow.
        The model is updated with all decisions so far and with every later one. `known` are
        decisions of this validation that the model has been given already.
        """
        given, missing = dict(known), []
        for document, labels in self.decisions:
            before = given.get(document)
            if before is labels or (before is not None and np.array_equal(before, labels)):
                del given[document]
            else:
                missing.append((document, labels))
        for document, labels in given.items():
            model.revert(document, labels)
        model.validate_all(missing)
        self._accuracy_model = model

    def _live_model(self) -> AccuracyModel:
        """Return the accuracy model; build it on first use."""
        if self.model.is_cold:
            return self._cold_model()
        model = self._accuracy_model
        if model is None:
            model = accuracy_model(self.documents)
            self.attach(model)
        return model

    def _cold_model(self) -> AccuracyModel:
        """Return the accuracy model of a cold start; build it again when more were drawn."""
        n_drawn = sum(bool(self._validated[i]) for i in self._drawn)
        model = self._accuracy_model
        if model is None or n_drawn >= _MORE_DRAWN * self._n_drawn:
            model = cold_accuracy_model(self.documents, self.decisions, self._drawn)
            self.attach(model)
            self._n_drawn = n_drawn
        return model

    def _measure_and_average(
        self, measure: str | Measure | None, average: str | None
    ) -> tuple[Measure, str]:
        return (
            self.model.measure if measure is None else parse(measure),
            self.model.average if average is None else average,
        )

    def _replace(self, removed: list[int], added: list[LoggedDecision]) -> None:
        gone = [self._log[i] for i in removed]
        super()._replace(removed, added)
        if self._accuracy_model is not None:
            for decision in gone:
                self._accuracy_model.revert(decision.document, decision.labels)
            self._accuracy_model.validate_all([(one.document, one.labels) for one in added])
