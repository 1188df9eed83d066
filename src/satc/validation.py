"""`Validation`: the live engine of a validation session (the algorithm of Section 7).

It hands out the document that matters most now, takes the labels that people decide on, and
lets them change the order of what is left. Several people can work at once: a document that is
*taken* is nobody else's until it is submitted or given back.
"""

from __future__ import annotations

import operator
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import Accuracy, AccuracyModel
from satc.assurance.live.estimator import accuracy_model
from satc.assurance.live.planner import Outlook, Plan
from satc.assurance.live.plug_in import plug_in
from satc.errors import DriftWarning, StateError
from satc.gains import Gains
from satc.inputs import as_labels
from satc.measures import Measure, parse
from satc.ranking.documents import RankedDocuments
from satc.ranking.model import RankingModel
from satc.ranking.options import RankingOptions, shows_options
from satc.ranking.preparation import prepare
from satc.ranking.ranking import Contribution, contributions
from satc.ranking.static import live_ranking


class Expectations(NamedTuple):
    """What is expected of one document, class by class; contributions are P(error) x gain."""

    decided: NDArray[np.bool_]
    error_probability: NDArray[np.float64]
    gain: NDArray[np.float64]  # of correcting the decision, as things stand now


@dataclass(frozen=True, eq=False)
class _Decision:
    document: int
    labels: NDArray[np.bool_]
    before: object  # the state of the ranking


class Validation:
    """Validate documents one by one, the most useful first.

    The parameters are those of `satc.rank`. The same labels submitted in the same order lead to
    the order of `satc.simulate`.

    Examples
    --------
    >>> import satc
    >>> V = [[1.0, -0.8], [0.4, -0.3], [-0.2, 0.9], [-1.1, 0.1], [-0.6, -0.9], [0.3, -0.5]]
    >>> Y = [[0, 0], [0, 0], [0, 0], [0, 1], [0, 0], [1, 0]]
    >>> scores = [[0.9, -0.1], [0.1, -0.2], [-0.7, 0.8]]
    >>> v = satc.Validation(scores, oof_scores=V, y_train=Y, method="u-theoretic")
    >>> i = v.next()
    >>> v.submit(i, [1, 1])
    >>> v.next(), v.n_validated, v.undo()
    (0, 1, 1)
    """

    @shows_options()
    def __init__(
        self, scores: Any, *, y_true: Any = None, **options: Unpack[RankingOptions]
    ) -> None:
        self._begin(prepare(scores, y_true=y_true, **options))

    @classmethod
    def of(cls, documents: RankedDocuments) -> Validation:
        """Return the validation of prepared documents: a part of a larger set, for example."""
        validation = cls.__new__(cls)
        validation._begin(documents)
        return validation

    def _begin(self, documents: RankedDocuments) -> None:
        self.documents = documents
        self._decided = documents.decided
        self._ranking = live_ranking(documents)
        self._log: list[_Decision] = []
        self._validated = np.zeros(len(self._decided), dtype=bool)
        self._taken = np.zeros(len(self._decided), dtype=bool)
        self._accuracy_model: AccuracyModel | None = None
        self._drifted = False

    @property
    def model(self) -> RankingModel:
        """What the ranking has estimated."""
        return self.documents.model

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return len(self._decided)

    @property
    def n_validated(self) -> int:
        """How many have been submitted."""
        return len(self._log)

    @property
    def order(self) -> NDArray[np.int64]:
        """The documents submitted so far, in order."""
        return np.array([decision.document for decision in self._log], dtype=np.int64)

    @property
    def decisions(self) -> list[tuple[int, NDArray[np.bool_]]]:
        """The documents submitted so far with their labels, in order."""
        return [(decision.document, decision.labels) for decision in self._log]

    @property
    def labels(self) -> NDArray[np.bool_]:
        """The labels as they are now: decided by people where validated, else predicted."""
        labels = self._decided.copy()
        for decision in self._log:
            labels[decision.document] = decision.labels
        return labels

    def accuracy(
        self,
        *,
        measure: str | Measure | None = None,
        average: str | None = None,
        level: float = 0.95,
    ) -> Accuracy:
        """Estimate how good the labels are now, with an interval.

        The labels of the documents left are drawn from calibrated probabilities, those validated
        are fixed. The first call learns from the training documents how far the
        probabilities can be trusted, which takes as long as some fits of the calibrator; later
        ones are quick. Needs `oof_scores` and `y_train`.

        Parameters
        ----------
        measure, average : optional
            Of what; by default, those of the validation.
        level : float
            Share of the draws inside the interval.

        Returns
        -------
        Accuracy
            ``value``, ``low``, ``high``, the same for every class in ``classes``, and in
            ``assumption`` whether the corrections so far agree with the probabilities. When
            they cease to, a `DriftWarning` says so, and the estimate follows the corrections.

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
        accuracy = self._live().accuracy(*self._chosen(measure, average), level)
        drifted = not accuracy.assumption.holds
        if drifted and not self._drifted:
            warnings.warn(accuracy.assumption.message, DriftWarning, stacklevel=2)
        self._drifted = drifted
        return accuracy

    def plug_in_accuracy(
        self, *, measure: str | Measure | None = None, average: str | None = None
    ) -> float:
        """Return the paper's own estimate: the estimated cells, corrected, put into the measure.

        It is too low where classes are rare; see `accuracy`.
        """
        tables = self.model.class_tables
        if tables is None:
            tables = self.model.kfold_tables(self.n_documents)
        documents = self.order
        return plug_in(
            tables,
            self._decided[documents],
            self.labels[documents],
            *self._chosen(measure, average),
        )

    def outlook(
        self,
        *,
        measure: str | Measure | None = None,
        average: str | None = None,
        minutes: Any = None,
    ) -> Outlook:
        """Look ahead: how the measure is expected to rise along the documents left.

        Parameters
        ----------
        measure, average : optional
            Of what; by default, those of the validation.
        minutes : float, or one number per document, optional
            What reading takes; by default the `costs` of the validation, where given.

        Returns
        -------
        Outlook
            ``outlook.plan(0.95, 0.9)`` says how many documents, hours and how much money it
            takes to reach .95 with probability .9, ``outlook.afford(hours=8)`` what 8 hours buy.
        """
        costs = self.documents.costs
        if minutes is None and costs is not None and (costs != 1.0).any():
            minutes = costs
        return Outlook(self._live(), self.remaining(), *self._chosen(measure, average), minutes)

    def remaining(self) -> NDArray[np.int64]:
        """Return the documents left: those that are taken, then the others in their order."""
        return np.concatenate([np.flatnonzero(self._taken), self._ranking.remaining()])

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
        """Say how much work is left until the measure reaches a target with a probability.

        `minutes` is what reading takes (see `outlook`), `price` that of an hour.
        """
        outlook = self.outlook(measure=measure, average=average, minutes=minutes)
        return outlook.plan(target, probability, price=price)

    def attach(self, model: AccuracyModel) -> None:
        """Use a model of the accuracy that was built elsewhere, as that can take a while.

        `satc.assurance.live.estimator.accuracy_model(v.documents)` builds one. From now on every
        decision is told to it.
        """
        for decision in self._log:
            model.validate(decision.document, decision.labels)
        self._accuracy_model = model

    def _live(self) -> AccuracyModel:
        """Return the model, built on first use."""
        model = self._accuracy_model
        if model is None:
            model = accuracy_model(self.documents)
            self.attach(model)
        return model

    def _chosen(self, measure: str | Measure | None, average: str | None) -> tuple[Measure, str]:
        return (
            self.model.measure if measure is None else parse(measure),
            self.model.average if average is None else average,
        )

    def next(self) -> int | None:
        """Return the document to validate now; None when none is left.

        It stays the next one until it is taken or submitted, or a correction changes the order.
        """
        return self._ranking.best()

    def take(self, i: int | None = None) -> int | None:
        """Keep the document to validate now, or document i, from everybody else; return it."""
        if i is None:
            i = self._ranking.best()
            if i is None:
                return None
        i = self._document(i)
        if self._validated[i] or self._taken[i]:
            state = "validated" if self._validated[i] else "taken"
            raise StateError(f"document {i} is {state} already, so it cannot be taken")
        self._taken[i] = True
        self._ranking.withdraw(i)
        return i

    @property
    def is_validated(self) -> NDArray[np.bool_]:
        """For every document, whether it has been submitted."""
        return self._validated.copy()

    def is_taken(self, i: int) -> bool:
        """Whether somebody has taken document i and not decided yet."""
        return bool(self._taken[self._document(i)])

    def expectations(self, i: int) -> Expectations:
        """Say of each class whether document i was put into it, P(error), and the gain now."""
        i = self._document(i)
        decided = self._decided[i]
        if self.documents.misclassification is None:
            return Expectations(decided, np.zeros(len(decided)), np.zeros(len(decided)))
        wrong = self.documents.misclassification.of_documents(slice(i, i + 1))[0]
        gain = self.documents.weighted(i, np.where(decided, *self.gains))
        return Expectations(decided, wrong, gain)

    def utility(self, i: int) -> float:
        """Return what validating document i is expected to bring now."""
        _, wrong, gain = self.expectations(i)
        return float(wrong @ gain)

    def explain(self, i: int) -> list[Contribution]:
        """Say what each class contributes to the utility of document i now, largest first."""
        return contributions(self.documents, self._document(i), self.gains)

    @property
    def gains(self) -> Gains:
        """The gains of the classes as things stand now."""
        fp, fn = self._ranking.gains
        if self.model.average == "micro":  # a column of FPs and one of FNs, with the same gains
            fp, fn = (np.full(self._decided.shape[1], gain[0]) for gain in (fp, fn))
        return Gains(fp, fn)

    def give_back(self, i: int) -> None:
        """Return a document that was taken to the others, undecided."""
        i = self._document(i)
        if not self._taken[i]:
            raise StateError(f"document {i} is not taken, so it cannot be given back")
        self._taken[i] = False
        self._ranking.put_back(i)

    def submit(self, i: int, labels: Any) -> None:
        """Record the true labels of document i, a vector of 0/1 with one entry per class."""
        i = self._document(i)
        if self._validated[i]:
            raise StateError(f"document {i} is validated already: undo({i}) takes that back")
        decided = self._labels(labels)
        if not self._taken[i]:
            self._ranking.withdraw(i)
        self._taken[i] = False
        self._validated[i] = True
        wrong = np.flatnonzero(decided != self._decided[i])
        before = self._ranking.validate(
            i, list(zip(wrong.tolist(), self._decided[i, wrong].tolist(), strict=True))
        )
        self._log.append(_Decision(i, decided, before))
        if self._accuracy_model is not None:
            self._accuracy_model.validate(i, decided)

    def resume(self, other: Validation) -> None:
        """Take over all that was decided and taken in a validation of the first documents here."""
        for decision in other._log:
            self.submit(decision.document, decision.labels)
        for i in np.flatnonzero(other._taken).tolist():
            self.take(i)

    def undo(self, i: int | None = None) -> int:
        """Take back the last decision, or that on document i; return the document.

        The state is then that of all other decisions in their order.
        """
        if not self._log:
            raise StateError("nothing has been submitted yet, so there is nothing to undo")
        if i is None:
            return self._pop().document
        i = self._document(i)
        if not self._validated[i]:
            raise StateError(f"document {i} is not validated, so there is nothing to undo")
        later: list[_Decision] = []
        while (decision := self._pop()).document != i:
            later.append(decision)
        for decision in reversed(later):
            self.submit(decision.document, decision.labels)
        return i

    def _pop(self) -> _Decision:
        decision = self._log.pop()
        self._validated[decision.document] = False
        self._ranking.revert(decision.before)
        self._ranking.put_back(decision.document)
        if self._accuracy_model is not None:
            self._accuracy_model.revert(decision.document, decision.labels)
        return decision

    def _document(self, i: Any) -> int:
        try:
            index = operator.index(i)
        except TypeError:
            raise TypeError(f"i must be a document index, but is {i!r}") from None
        if not 0 <= index < self.n_documents:
            raise ValueError(f"i must be a document, 0 to {self.n_documents - 1}, but is {index}")
        return index

    def _labels(self, labels: Any) -> NDArray[np.bool_]:
        n_classes = self._decided.shape[1]
        vector = as_labels(labels, "labels").ravel()
        if vector.shape != (n_classes,):
            raise ValueError(
                f"labels must have one entry per class, {n_classes}, but has {len(vector)}"
            )
        return vector
