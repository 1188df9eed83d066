"""`Validation`: the live engine of a validation session (the algorithm of Section 5).

It hands out the document that matters most now, takes the labels that people decide on, and
lets them change the order of what is left. Several people can work at once: a document that is
*taken* is nobody else's until it is submitted or given back.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.errors import StateError
from satc.gains import Gains
from satc.inputs import as_labels
from satc.measures import Measure
from satc.ranking.ranking import Contribution, contributions
from satc.ranking.setting import prepare
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

    def __init__(
        self,
        scores: Any,
        *,
        oof_scores: Any = None,
        y_train: Any = None,
        y_true: Any = None,
        method: str = "contextual",
        measure: str | Measure = "f1",
        average: str = "macro",
        sigma: float | None = None,
        features: Any = None,
        train_features: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.setting = prepare(
            scores,
            oof_scores=oof_scores,
            y_train=y_train,
            y_true=y_true,
            method=method,
            measure=measure,
            average=average,
            sigma=sigma,
            features=features,
            train_features=train_features,
            random_state=random_state,
        )
        self._decided = self.setting.scores >= 0
        self._ranking = live_ranking(self.setting)
        self._log: list[_Decision] = []
        self._validated = np.zeros(len(self._decided), dtype=bool)
        self._taken = np.zeros(len(self._decided), dtype=bool)

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
    def labels(self) -> NDArray[np.bool_]:
        """The labels as they are now: decided by people where validated, else predicted."""
        labels = self._decided.copy()
        for decision in self._log:
            labels[decision.document] = decision.labels
        return labels

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

    def is_taken(self, i: int) -> bool:
        """Whether somebody has taken document i and not decided yet."""
        return bool(self._taken[self._document(i)])

    def expectations(self, i: int) -> Expectations:
        """Say of each class whether document i was put into it, P(error), and the gain now."""
        i = self._document(i)
        decided = self._decided[i]
        if self.setting.misclassification is None:
            return Expectations(decided, np.zeros(len(decided)), np.zeros(len(decided)))
        wrong = self.setting.misclassification.of_documents(slice(i, i + 1))[0]
        return Expectations(decided, wrong, np.where(decided, *self._gains()))

    def explain(self, i: int) -> list[Contribution]:
        """Say what each class contributes to the utility of document i now, largest first."""
        return contributions(self.setting, self._document(i), self._gains())

    def _gains(self) -> Gains:
        """Return the gains of the classes as things stand now."""
        fp, fn = self._ranking.gains
        if self.setting.average == "micro":  # a column of FPs and one of FNs, with the same gains
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
