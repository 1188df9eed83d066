"""The state of a validation: its documents, the decisions so far, and what they are worth now."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from satc.arrays.frames import in_order, row_in_order
from satc.calibration.similarity.similar import SimilarDocument
from satc.gains import Gains
from satc.inputs import SINGLE_LABEL, as_labels, check_one_label
from satc.ranking.documents import RankedDocuments
from satc.ranking.live.static import live_ranking
from satc.ranking.model import RankingModel
from satc.ranking.ranking import Contribution, contributions
from satc.ranking.reasons.opinions import Said, said_about
from satc.ranking.reasons.similar import SIMILAR, similar_to


class Expectations(NamedTuple):
    """The decision, P(error) and gain of one document for each class."""

    decided: NDArray[np.bool_]
    error_probability: NDArray[np.float64]
    gain: NDArray[np.float64]  # the current gain of correcting the decision


@dataclass(frozen=True, eq=False)
class LoggedDecision:
    """The labels that a person decided on for one document."""

    document: int
    labels: NDArray[np.bool_]


class ValidationState:
    """Documents, their live ranking, and the decisions that people have made so far."""

    @classmethod
    def of(cls, documents: RankedDocuments) -> Self:
        """Return a validation of prepared documents, for example of a part of a larger set."""
        validation = cls.__new__(cls)
        validation._start(documents)
        return validation

    def _start(self, documents: RankedDocuments) -> None:
        self.documents = documents
        self._decided = documents.decided
        self._ranking = live_ranking(documents)
        self._log: dict[int, LoggedDecision] = {}  # by document, in the order of submission
        self._validated = np.zeros(len(self._decided), dtype=bool)
        self._taken = np.zeros(len(self._decided), dtype=bool)

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
        return np.array(list(self._log), dtype=np.int64)

    @property
    def decisions(self) -> list[tuple[int, NDArray[np.bool_]]]:
        """The documents submitted so far with their labels, in order."""
        return [(decision.document, decision.labels) for decision in list(self._log.values())]

    def latest_decisions(self) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Iterate over the documents submitted so far with their labels, the last one first."""
        for decision in reversed(self._log.values()):
            yield decision.document, decision.labels

    @property
    def labels(self) -> NDArray[np.bool_]:
        """The current labels: decided by people if validated, else predicted."""
        labels = self._decided.copy()
        for decision in self._log.values():
            labels[decision.document] = decision.labels
        return labels

    @property
    def is_validated(self) -> NDArray[np.bool_]:
        """For every document, whether it has been submitted."""
        return self._validated.copy()

    def is_taken(self, i: int) -> bool:
        """Whether document i is taken and not submitted yet."""
        return bool(self._taken[self._document(i)])

    def remaining(self) -> NDArray[np.int64]:
        """Return the documents that are not validated: first the taken ones, then the others."""
        return np.concatenate([np.flatnonzero(self._taken), self._ranking.remaining()])

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
        if self.model.method.is_rival and self.documents.utility is not None:
            return float(self.documents.utility[self._document(i)])
        _, wrong, gain = self.expectations(i)
        return float(wrong @ gain)

    def explain(self, i: int) -> list[Contribution]:
        """Return what each class adds to the current utility of document i, largest first."""
        return contributions(self.documents, self._document(i), self.gains)

    def opinions(self, i: int) -> Said:
        """Return what the classifier and the other opinions say about document i."""
        return said_about(self.documents, self._document(i), (c.context for c in self.explain(i)))

    def similar(self, i: int, n: int = SIMILAR) -> list[SimilarDocument]:
        """Return the documents with known labels that are most similar to document i.

        In a cold start they are documents that people decided on, once the estimates use them.
        """
        return similar_to(self.documents, self._document(i), n)

    @property
    def gains(self) -> Gains:
        """The current gains of the classes."""
        fp, fn = self._ranking.gains
        if self.model.average == "micro":  # two columns: every class has the same gains
            fp, fn = (np.full(self._decided.shape[1], gain[0]) for gain in (fp, fn))
        return Gains(fp, fn)

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
        named = row_in_order(labels, self.model.class_names, "labels")
        vector = as_labels(named, "labels").ravel().copy()
        if vector.shape != (n_classes,):
            raise ValueError(
                f"labels must have one entry per class, {n_classes}, but has {len(vector)}"
            )
        if self.model.task == SINGLE_LABEL:
            check_one_label(vector[np.newaxis], "labels")
        return vector

    def _label_matrix(self, labels: Any, n_documents: int) -> NDArray[np.bool_]:
        shape = n_documents, self._decided.shape[1]
        named = in_order(labels, self.model.class_names, "labels")
        matrix = as_labels(named, "labels").copy()
        if matrix.shape != shape:
            raise ValueError(
                f"labels must have one row per document and one column per class, {shape}, but "
                f"has the shape {matrix.shape}"
            )
        if self.model.task == SINGLE_LABEL:
            check_one_label(matrix, "labels")
        return matrix
