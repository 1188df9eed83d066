"""`Shares`, and the part of the documents that they are about: all documents, or one group.

What was learnt from the audited documents of all groups (`recalibration`, `tuning`) holds for each
group; the correction and the variance come from its own audited documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.shares.interval import Interval, interval
from satc.assurance.shares.sample import Array, Log, sample_of
from satc.assurance.shares.tuning import Tuning
from satc.inputs import Scores

Members = Mapping[Any, NDArray[np.int64]]  # the rows of each group


@dataclass(frozen=True, eq=False)
class Shares:
    """The share of each class, with an interval.

    Attributes
    ----------
    share, low, high : arrays, one value per class
        Estimate and interval. `low` and `high` are NaN where no document was audited.
    count : array, one value per class
        Estimated number of documents of the class.
    predicted : array, one value per class
        The mean of the predictions: the share without any correction.
    validated, audited : integer arrays, one value per class
        Decided documents that have the class, and how many of them were audited.
    n_documents, n_validated, n_audited : int
        Number of documents, of decided ones (audited ones included), and of audited ones.
    level : float
        Confidence of the intervals.
    groups : dict
        The shares within each group of documents, if groups were given.
    """

    share: Array
    low: Array
    high: Array
    predicted: Array
    validated: NDArray[np.int64]
    audited: NDArray[np.int64]
    n_documents: int
    n_validated: int
    n_audited: int
    level: float
    groups: dict[Any, Shares] = field(default_factory=dict, repr=False)

    @property
    def count(self) -> Array:
        """Estimated number of documents of each class."""
        return self.share * self.n_documents


@dataclass(frozen=True, eq=False)
class Part:
    """Documents with their predictions, as given and as corrected, and what is decided of them.

    `tuning` is None if no document was audited, or none is undecided.
    """

    given: Scores
    corrected: Scores
    log: Log
    tuning: Tuning | None
    level: float

    def shares(self, groups: Members) -> Shares:
        """Return the shares of the classes in this part, and in groups of it."""
        n, known = len(self.given), self.log.y.sum(axis=0)
        left = self._left()
        return Shares(
            share=(known + left.estimate) / n,
            low=(known + left.low) / n,
            high=(known + left.high) / n,
            predicted=self.given.mean(axis=0, dtype=np.float64),
            validated=known.astype(np.int64),
            audited=self.log.y[self.log.is_audit].sum(axis=0).astype(np.int64),
            n_documents=n,
            n_validated=len(self.log.documents),
            n_audited=int(self.log.is_audit.sum()),
            level=self.level,
            groups={name: self._within(rows).shares({}) for name, rows in groups.items()},
        )

    def _within(self, rows: NDArray[np.int64]) -> Part:
        return replace(
            self,
            given=self.given[rows],
            corrected=self.corrected[rows],
            log=self.log.within(rows, len(self.given)),
        )

    def _left(self) -> Interval:
        """Return the positives among the undecided documents; NaN bounds without an audit."""
        n_classes = self.given.shape[1]
        if len(self.log.documents) == len(self.given):
            none = np.zeros(n_classes)
            return Interval(none, none, none)
        sample = sample_of(self.corrected, self.log)
        if self.tuning is None or not sample.information:
            unknown = np.full(n_classes, np.nan)
            return Interval(sample.f_total, unknown, unknown)
        return interval(sample, self.tuning, self.level)
