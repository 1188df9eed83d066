"""The errors that people found, and a bound on the errors that are left.

The decision log is compared with the labels of the classifier. The errors found in audited
documents bound the errors in the documents that nobody has read (`betting`). A document that was
decided while others were drawn, and is undecided now, counts at its worst for these draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.certificate.absent import NONE_ABSENT, AbsentDocuments, Outside
from satc.assurance.certificate.audit import Absence, AuditedDecision
from satc.assurance.certificate.betting import HEDGED, Draws, Strategy, upper_total
from satc.inputs import Labels, indicator

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FoundErrors:
    """Wrong and missing labels that people found, with counts of all labels.

    Attributes
    ----------
    wrong, missing : boolean arrays, decisions x classes
        Labels that the classifier assigned wrongly, and labels that it missed.
    is_audit : boolean array, one value per decision
    assigned : boolean array, decisions x classes
        The labels of the classifier.
    n_labels, unread : arrays, one value per class
        Number of present labels, and how many of them are in documents that nobody has read.
    n_unread : int
        Number of documents that nobody has read.
    most_assigned : int
        Largest number of labels that the classifier assigned to one of the documents from which
        the audit was drawn.
    cap : int
        Declared largest number of labels that a document lacks.
    strategy : Strategy
        How the errors that are left are bounded.
    absent : AbsentDocuments
        Documents that were decided while others were drawn, and whose decision was undone.
    before : array or None
        Labels of each class before anybody decided; None in earlier formats.
    """

    wrong: Labels
    missing: Labels
    is_audit: NDArray[np.bool_]
    assigned: Labels
    n_labels: Array
    unread: Array
    n_unread: int
    most_assigned: int
    cap: int
    strategy: Strategy = HEDGED
    absent: AbsentDocuments = NONE_ABSENT
    before: Array | None = None

    @classmethod
    def of(
        cls,
        predicted: Labels,
        log: tuple[AuditedDecision, ...],
        cap: int,
        strategy: Strategy = HEDGED,
        absences: tuple[Absence, ...] = (),
        *,
        from_predictions: bool = False,
    ) -> FoundErrors:
        """Compare a decision log with the labels of the classifier.

        With `from_predictions`, weights that are fixed before the audit follow from the predicted
        labels alone.
        """
        documents = np.array([decision.document for decision in log], dtype=np.int64)
        is_audit = np.array([decision.is_audit for decision in log], dtype=bool)
        truth = indicator([decision.labels for decision in log], range(predicted.shape[1]))
        assigned = predicted[documents]
        unread = predicted.sum(axis=0) - assigned.sum(axis=0)
        drawn_from = np.ones(len(predicted), dtype=bool)
        absent = AbsentDocuments.of(absences, documents, predicted)
        drawn_from[documents[: _first_audit(is_audit)]] = False
        drawn_from[absent.documents] = True
        per_document = predicted[drawn_from].sum(axis=1)
        return cls(
            wrong=assigned & ~truth,
            missing=truth & ~assigned,
            is_audit=is_audit,
            assigned=assigned,
            n_labels=(unread + truth.sum(axis=0)).astype(np.float64),
            unread=unread.astype(np.float64),
            n_unread=len(predicted) - len(log),
            most_assigned=int(per_document.max(initial=0)),
            cap=cap,
            strategy=strategy,
            absent=absent,
            before=predicted.sum(axis=0).astype(np.float64) if from_predictions else None,
        )._checked()

    def _checked(self) -> FoundErrors:
        if self.most_missed > self.cap:
            raise ValueError(
                f"cap must be at least the {self.most_missed} labels that an audited document "
                f"lacked, but is {self.cap}; declare a larger one"
            )
        return self

    @property
    def most_missed(self) -> int:
        """Largest number of labels that an audited document lacked."""
        return int(self.missing[self.is_audit].sum(axis=1).max(initial=0))

    @property
    def by_audit(self) -> tuple[int, int]:
        """Numbers of wrong and of missing labels that the audit found."""
        return int(self.wrong[self.is_audit].sum()), int(self.missing[self.is_audit].sum())

    @property
    def n_documents(self) -> int:
        """Number of documents in the whole set."""
        return self.n_unread + len(self.is_audit)

    def labels_before_audit(self) -> tuple[Array, Array]:
        """Return `n_labels` and `unread` as they were when the audit started."""
        if self.before is not None:
            return self.before, self.before
        first = _first_audit(self.is_audit)
        assigned = self.assigned[first:].sum(axis=0)
        truth = (self.assigned[first:] & ~self.wrong[first:]) | self.missing[first:]
        return self.n_labels - truth.sum(axis=0) + assigned, self.unread + assigned

    def errors_left(self, wrong: Any, missing: Any, error: float) -> float:
        """Return an upper bound on the weighted errors in documents that nobody has read.

        `wrong` and `missing` are the weights of a wrong and of a missing label: numbers, or one
        number per class.
        """
        value = self.wrong @ self._per_class(wrong) + self.missing @ self._per_class(missing)
        largest = np.max(wrong) * self.most_assigned + np.max(missing) * self.cap
        worst = self.absent.assigned @ self._per_class(wrong) + np.max(missing) * self.cap
        every = np.ones(len(value), dtype=bool)
        outside = self.absent.outside(worst, value, len(value))
        return self._value_left(value, every, outside, self.n_unread, float(largest), error)

    def wrong_left(self, column: int, error: float) -> float:
        """Return an upper bound on the wrong labels of a class in unread documents.

        The documents that the classifier assigned to the class are a set of their own: an audited
        document among them is a uniform draw from those of them that are unread.
        """
        inside, absent = self.assigned[:, column], self.absent.assigned[:, column]
        return self._count_left(
            self.wrong[:, column], inside, absent, int(self.unread[column]), error
        )

    def missing_left(self, column: int, error: float) -> float:
        """Return an upper bound on the missing labels of a class in unread documents."""
        outside = ~self.assigned[:, column]
        n_unread = self.n_unread - int(self.unread[column])
        absent = ~self.absent.assigned[:, column]
        return self._count_left(self.missing[:, column], outside, absent, n_unread, error)

    def _count_left(
        self,
        has_error: NDArray[np.bool_],
        members: NDArray[np.bool_],
        absent: NDArray[np.bool_],
        n_unread: int,
        error: float,
    ) -> float:
        """Return an upper bound on the errors in the unread documents among the members."""
        value = has_error.astype(np.float64)
        outside = self.absent.outside(np.ones(len(absent)), value, len(value), absent)
        return self._value_left(value, members, outside, n_unread, 1.0, error)

    def _value_left(
        self,
        value: Array,
        members: NDArray[np.bool_],
        outside: Outside,
        n_unread: int,
        largest: float,
        error: float,
    ) -> float:
        """Return an upper bound on the total value of the unread documents of a set."""
        if not n_unread:
            return 0.0
        value, is_audit = value[members], self.is_audit[members]
        known = np.cumsum(value) - value + outside.value[members]
        left = n_unread + len(value) - np.arange(len(value)) - outside.n_documents[members]
        draws = Draws(value[is_audit], known[is_audit], left[is_audit].astype(np.float64))
        total = upper_total(draws, largest, error, self.strategy)
        return float(min(total - value.sum(), largest * n_unread))

    def _per_class(self, weight: Any) -> Array:
        return np.broadcast_to(np.asarray(weight, dtype=np.float64), self.n_labels.shape)


def _first_audit(is_audit: NDArray[np.bool_]) -> int:
    """Return the position of the first audited document, or the length if there is none."""
    return int(is_audit.argmax()) if is_audit.any() else len(is_audit)
