"""`Validation`: a live validation session (the algorithm of Section 7).

It returns the most useful document, records the labels that people decide on, and updates the order
of the remaining documents. Several people can work at the same time: a document that is *taken* is
not given to anybody else until it is submitted or given back.
"""

from __future__ import annotations

import operator
import warnings
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import Accuracy, AccuracyModel
from satc.assurance.live.cold import cold_accuracy_model
from satc.assurance.live.estimator import accuracy_model
from satc.assurance.live.planner import Outlook, Plan
from satc.assurance.live.plug_in import plug_in
from satc.calibration.cold.calibrator import Standing, due
from satc.errors import DriftWarning, StateError
from satc.gains import Gains
from satc.inputs import SINGLE_LABEL, as_labels, check_one_label
from satc.measures import Measure, parse
from satc.ranking.cold_start import Decisions, re_estimated
from satc.ranking.documents import RankedDocuments
from satc.ranking.live.static import live_ranking
from satc.ranking.model import RankingModel, seed_of
from satc.ranking.options import RankingOptions, shows_options
from satc.ranking.preparation import prepare
from satc.ranking.ranking import Contribution, contributions

_MORE_DRAWN = 1.25  # an accuracy model is built again when there are so many times the documents


class Expectations(NamedTuple):
    """The decision, P(error) and gain of one document for each class."""

    decided: NDArray[np.bool_]
    error_probability: NDArray[np.float64]
    gain: NDArray[np.float64]  # the current gain of correcting the decision


@dataclass(frozen=True, eq=False)
class _Decision:
    document: int
    labels: NDArray[np.bool_]
    before: object  # the state of the ranking before the decision


def _are_same(pair: tuple[_Decision, _Decision]) -> bool:
    """Whether two decisions give the same labels to the same document."""
    one, other = pair
    return one.document == other.document and np.array_equal(one.labels, other.labels)


class Validation:
    """Validate documents one by one, the most useful first.

    The parameters are those of `satc.rank`. If the true labels are submitted, the documents come in
    the order of `satc.simulate`.

    Without training documents it is a *cold start*: after 10, 20, 40, ... decisions, probabilities,
    tables and (with ``decide="measure"``) labels are estimated anew from what was decided;
    `standing` says what they rest on. The estimate of accuracy then needs documents from `draw`.

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
        self._start(prepare(scores, y_true=y_true, **options))
        self._learns = self.model.is_cold

    @classmethod
    def learning(cls, documents: RankedDocuments) -> Validation:
        """Return a validation of prepared documents; in a cold start it learns from decisions."""
        validation = cls.of(documents)
        validation._learns = validation.model.is_cold
        return validation

    @classmethod
    def of(cls, documents: RankedDocuments) -> Validation:
        """Return a validation of prepared documents, for example of a part of a larger set."""
        validation = cls.__new__(cls)
        validation._start(documents)
        return validation

    def _start(self, documents: RankedDocuments) -> None:
        self.documents = documents
        self._decided = documents.decided
        self._ranking = live_ranking(documents)
        self._log: list[_Decision] = []
        self._validated = np.zeros(len(self._decided), dtype=bool)
        self._taken = np.zeros(len(self._decided), dtype=bool)
        self._accuracy_model: AccuracyModel | None = None
        self._drifted = False
        self._drawn: set[int] = set()  # documents that were drawn at random
        self._n_draws = 0  # how often a document was drawn
        self._n_drawn = 0  # how many of them the accuracy model rests on
        self._learns = False  # whether decisions lead to new estimates
        self._n_learnt = 0  # decisions that the estimates were learnt from

    @property
    def model(self) -> RankingModel:
        """The model of the ranking: the method with its estimates."""
        return self.documents.model

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self._decided)

    @property
    def n_validated(self) -> int:
        """The number of documents submitted so far."""
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
        """The current labels: decided by people if validated, else predicted."""
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

    def remaining(self) -> NDArray[np.int64]:
        """Return the documents that are not validated: first the taken ones, then the others."""
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
        given = dict(known)
        for decision in self._log:
            labels = given.pop(decision.document, None)
            if labels is not None and np.array_equal(labels, decision.labels):
                continue
            if labels is not None:
                model.revert(decision.document, labels)
            model.validate(decision.document, decision.labels)
        for document, labels in given.items():
            model.revert(document, labels)
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

    def next(self) -> int | None:
        """Return the document to validate next; None if no document is available.

        The result stays the same until a document is taken, given back or submitted, or a decision
        is undone.
        """
        return self._ranking.best()

    def take(self, i: int | None = None) -> int | None:
        """Reserve the next document, or document i, for one person; return it."""
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

    def draw(self) -> int | None:
        """Reserve a document at random, as `take` does; None if no document is available.

        In a cold start, the estimate of accuracy rests on such documents: submit their labels as
        those of any other document.
        """
        seed = [seed_of(self.model.random_state), self._n_draws]
        left = np.flatnonzero(~self._validated & ~self._taken)
        if not len(left):
            return None
        i = int(np.random.default_rng(seed).choice(left))
        self._n_draws += 1
        self._drawn.add(i)
        return self.take(i)

    @property
    def standing(self) -> Standing | None:
        """What the probabilities of a cold start rest on; None where labels are known."""
        return self.model.standing

    @property
    def is_validated(self) -> NDArray[np.bool_]:
        """For every document, whether it has been submitted."""
        return self._validated.copy()

    def is_taken(self, i: int) -> bool:
        """Whether document i is taken and not submitted yet."""
        return bool(self._taken[self._document(i)])

    def expectations(self, i: int) -> Expectations:
        """Return the decision on document i, P(error) and the current gain, for each class."""
        i = self._document(i)
        decided = self._decided[i]
        if self.documents.misclassification is None:
            return Expectations(decided, np.zeros(len(decided)), np.zeros(len(decided)))
        wrong = self.documents.misclassification.of_documents(slice(i, i + 1))[0]
        gain = self.documents.weighted(i, np.where(decided, *self.gains))
        return Expectations(decided, wrong, gain)

    def utility(self, i: int) -> float:
        """Return the current utility of document i: the expected gain of validating it."""
        _, wrong, gain = self.expectations(i)
        return float(wrong @ gain)

    def explain(self, i: int) -> list[Contribution]:
        """Return what each class adds to the current utility of document i, largest first."""
        return contributions(self.documents, self._document(i), self.gains)

    @property
    def gains(self) -> Gains:
        """The current gains of the classes."""
        fp, fn = self._ranking.gains
        if (
            self.model.average == "micro"
        ):  # there are two columns, and every class has the same gains
            fp, fn = (np.full(self._decided.shape[1], gain[0]) for gain in (fp, fn))
        return Gains(fp, fn)

    def give_back(self, i: int) -> None:
        """Make a taken document available again, without a decision."""
        i = self._document(i)
        if not self._taken[i]:
            raise StateError(f"document {i} is not taken, so it cannot be given back")
        self._taken[i] = False
        self._drawn.discard(i)  # if the ranking brings it later, it is not random any more
        self._ranking.put_back(i)

    def submit(self, i: int, labels: Any) -> None:
        """Record the true labels of document i, a vector of 0/1 with one entry per class."""
        i = self._document(i)
        if self._validated[i]:
            raise StateError(f"document {i} is validated already: undo({i}) removes the decision")
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
        if self._learns and due(len(self._log)) != self._n_learnt:
            self._learn()

    def resume(self, other: Validation) -> None:
        """Copy the decisions and taken documents of a validation of the first documents."""
        self._drawn |= other._drawn
        self._n_draws += other._n_draws
        for decision in other._log:
            self.submit(decision.document, decision.labels)
        for i in np.flatnonzero(other._taken).tolist():
            self.take(i)

    def catch_up(self, other: Validation) -> int:
        """Make the decisions and taken documents those of another validation of these documents.

        Decisions that both have made in the same order stay, so a second call is fast. Returns how
        many decisions were added or removed.
        """
        wanted = list(other._log)
        pairs = zip(self._log, wanted, strict=False)
        n_same = sum(1 for _ in takewhile(_are_same, pairs))
        changed = len(self._log) + len(wanted) - 2 * n_same
        while len(self._log) > n_same:
            self._pop()
        for decision in wanted[n_same:]:
            self.submit(decision.document, decision.labels)
        for i in np.flatnonzero(self._taken & ~other._taken).tolist():
            self.give_back(i)
        for i in np.flatnonzero(other._taken & ~self._taken & ~self._validated).tolist():
            self.take(i)
        self._drawn |= other._drawn
        return changed

    def undo(self, i: int | None = None) -> int:
        """Undo the last decision, or the decision on document i; return the document.

        The state is then the same as if only the other decisions had been submitted.
        """
        if not self._log:
            raise StateError("nothing has been submitted yet, so there is nothing to undo")
        if i is None and not self._learns:
            return self._pop().document
        i = self._log[-1].document if i is None else self._document(i)
        if not self._validated[i]:
            raise StateError(f"document {i} is not validated, so there is nothing to undo")
        if self._learns:
            return self._forget(i)
        later: list[_Decision] = []
        while (decision := self._pop()).document != i:
            later.append(decision)
        for decision in reversed(later):
            self.submit(decision.document, decision.labels)
        return i

    def _learn(self) -> None:
        """Estimate everything anew from the first decisions, and go on from there."""
        n = due(len(self._log))
        learnt = Validation.of(re_estimated(self.documents, self.decisions[:n]))
        learnt.resume(self)
        self.__dict__.update(vars(learnt) | {"_learns": True, "_n_learnt": n})

    def _forget(self, i: int) -> int:
        """Undo the decision on document i, and learn anew if the estimates rest on it."""
        place = self.order.tolist().index(i)
        self._log = [decision for decision in self._log if decision.document != i]
        self._validated[i] = False
        if due(len(self._log)) != self._n_learnt or place < self._n_learnt:
            self._learn()
        else:
            self._restart()
        return i

    def _restart(self) -> None:
        """Replay the decisions under the present estimates."""
        again = Validation.of(self.documents)
        again.resume(self)
        self.__dict__.update(vars(again) | {"_learns": True, "_n_learnt": self._n_learnt})

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
        if self.model.task == SINGLE_LABEL:
            check_one_label(vector[np.newaxis], "labels")
        return vector
