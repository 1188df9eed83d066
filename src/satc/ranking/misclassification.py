"""Probabilities of misclassification, P(fp) and P(fn), behind one small interface.

They are all that utilities need to know about the documents. The sign of a *signed* probability
is the decision: positive if the document was decided positive, so that an error would be an FP;
negative if it was decided negative. The probabilities are computed from the scores and sigma when
they are needed (`LogisticMisclassification`), or given as an array (`GivenMisclassification`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from satc.calibration.expected import expected_tables
from satc.calibration.logistic import error_probabilities, growth, growth_blocks, row_blocks
from satc.contingency import ContingencyTables
from satc.gains import Gains
from satc.inputs import Labels, Scores
from satc.machine.threads import in_threads
from satc.ranking import kernels

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_PART = 1 << 19  # pairs of document and class that a thread computes at once


class Misclassification(Protocol):
    """Interface of the error probabilities that a ranking method uses."""

    @property
    def shape(self) -> tuple[int, int]:
        """Return documents x classes."""

    def utilities(self, gains: Gains) -> Array:
        """U(d) of every document: the sum over classes of P(error) x gain (Equation 9)."""

    @property
    def largest(self) -> float:
        """An upper bound on P(error)."""

    @property
    def all_rows(self) -> Array | None:
        """The signed probabilities of all documents, if they are in memory."""

    def signed_rows(self, documents: Indices | slice) -> Array:
        """Signed probabilities of some documents, documents x classes."""

    def sums(self) -> Array:
        """Sum the signed probabilities of each document: documents x (positive, negative)."""

    def of_documents(self, rows: slice) -> Array:
        """Return P(error) of some documents, per class."""


def positive_decisions(signed: Array) -> Labels:
    """Return the decisions that signed probabilities carry: 0.0 is positive, -0.0 negative."""
    return ~np.signbit(signed)


@dataclass(frozen=True, eq=False)
class LogisticMisclassification:
    """Equation 6, computed when needed: P(error) = 1 / (1 + e^(sigma |score|))."""

    scores: Scores
    sigma: float

    @property
    def shape(self) -> tuple[int, int]:
        """Return documents x classes."""
        return self.scores.shape[0], self.scores.shape[1]

    def utilities(self, gains: Gains) -> Array:
        """U(d) of every document, in one pass over the scores."""
        utility = np.empty(len(self.scores))

        def add(part: slice) -> None:
            of_part = utility[part]
            for rows, block, grown in growth_blocks(self.scores[part], self.sigma):
                kernels.sum_utilities(block, grown, gains.fp, gains.fn, of_part[rows])

        in_threads(add, list(row_blocks(*self.shape, pairs=_PART)))
        return utility

    @property
    def largest(self) -> float:
        """An upper bound on P(error)."""
        return 0.5

    @property
    def all_rows(self) -> Array | None:
        """Return None: the probabilities are computed when they are needed."""
        return None

    def signed_rows(self, documents: Indices | slice) -> Array:
        """Signed probabilities of some documents."""
        block = _take(self.scores, documents)
        grown = growth(block, self.sigma, np.empty(block.shape))
        kernels.sign_errors(block, grown)
        return grown

    def sums(self) -> Array:
        """Sum the signed probabilities of each document."""
        sums = np.empty((len(self.scores), 2))
        for rows, block, grown in growth_blocks(self.scores, self.sigma):
            kernels.sum_errors(block, grown, sums[rows])
        return sums

    def of_documents(self, rows: slice) -> Array:
        """Return P(error) of some documents, per class."""
        return error_probabilities(self.scores[rows], self.sigma)


@dataclass(frozen=True, eq=False)
class GivenMisclassification:
    """Signed probabilities given as an array, documents x classes."""

    signed: Array

    @classmethod
    def from_truth(cls, decided: Labels, y_true: Labels) -> GivenMisclassification:
        """Oracle 2: the probability is 1 where the decision is wrong, else 0 (Section 6.5)."""
        return cls(np.copysign(decided != y_true, np.where(decided, 1.0, -1.0)))

    @classmethod
    def from_probability(cls, decided: Labels, probability: Array) -> GivenMisclassification:
        """P(error) of the decisions, from P(document belongs to class)."""
        return cls(np.where(decided, 1.0 - probability, -probability))

    def expected_tables(self) -> ContingencyTables:
        """Expected cells of every class, estimated on the documents to rank (Te)."""
        decided = positive_decisions(self.signed)
        probability = np.where(decided, 1.0 - self.signed, -self.signed)
        return expected_tables(probability, decided)

    @property
    def shape(self) -> tuple[int, int]:
        """Return documents x classes."""
        return self.signed.shape[0], self.signed.shape[1]

    def utilities(self, gains: Gains) -> Array:
        """U(d) of every document."""
        return np.asarray(kernels.given_utilities(self.signed, gains.fp, gains.fn))

    @property
    def largest(self) -> float:
        """The largest P(error)."""
        return float(max(self.signed.max(initial=0.0), -self.signed.min(initial=0.0)))

    @property
    def all_rows(self) -> Array | None:
        """The signed probabilities of all documents."""
        return self.signed

    def signed_rows(self, documents: Indices | slice) -> Array:
        """Signed probabilities of some documents."""
        return _take(self.signed, documents)

    def sums(self) -> Array:
        """Sum the signed probabilities of each document."""
        positive = np.where(self.signed > 0, self.signed, 0.0).sum(axis=1)
        negative = np.where(self.signed < 0, self.signed, 0.0).sum(axis=1)
        return np.column_stack([positive, negative])

    def of_documents(self, rows: slice) -> Array:
        """Return P(error) of some documents, per class."""
        return np.abs(self.signed[rows])


def _take(rows: Any, documents: Indices | slice) -> Any:
    """Return some rows: a view of a slice, a copy of documents by number (NumPy's fastest way)."""
    return rows[documents] if isinstance(documents, slice) else np.take(rows, documents, axis=0)
