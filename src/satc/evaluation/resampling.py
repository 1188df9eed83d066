"""The measure while people check a resampled set of documents: the bootstrap of a curve.

A bootstrap sample draws documents with replacement, so that a document occurs several times or not
at all. Its documents are checked in the order of the whole set. Only the wrong labels matter for
the curve, and their order within a class is always the same; so they are sorted once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.evaluation.residual import rises
from satc.inputs import Labels, check_average
from satc.measures import Measure, macro_or_micro

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


class ResampledCurve:
    """The curve of one order of documents, for any numbers of copies of the documents.

    Parameters
    ----------
    order : int array
        The indices of all documents, in the order of validation.
    labels, y_true : bool arrays, documents x classes
        The labels that are validated, and the true ones.
    measure : Measure
    average : str

    Examples
    --------
    >>> from satc.measures import parse
    >>> labels, truth = np.array([[True], [False]]), np.array([[True], [True]])
    >>> curve = ResampledCurve([1, 0], labels, truth, parse("f1"), "macro")
    >>> curve.value(np.array([1, 1])).round(3)
    array([0.667, 1.   , 1.   ])
    >>> curve.value(np.array([0, 2])).round(3)
    array([0.   , 0.667, 1.   ])
    """

    def __init__(
        self, order: Any, labels: Labels, y_true: Labels, measure: Measure, average: str
    ) -> None:
        check_average(average)
        self._order = np.asarray(order, dtype=np.int64)
        self._measure, self._average = measure, average
        self._n_classes = labels.shape[1]
        self._right = np.nonzero(labels & y_true)
        self._positive = np.nonzero(y_true)
        position = np.empty(len(self._order), dtype=np.int64)
        position[self._order] = np.arange(len(self._order))
        document, label = np.nonzero(labels != y_true)
        group = label if average == "macro" else np.zeros_like(label)
        by = np.lexsort((position[document], group))
        self._document, self._label, self._group = document[by], label[by], group[by]
        self._is_fp = labels[self._document, self._label]

    def value(self, counts: Counts) -> Array:
        """Return the measure after 0, 1, ... documents, if document i occurs counts[i] times."""
        tables = self._tables(counts)
        copies = counts[self._document]
        repeated = np.repeat(np.arange(len(copies)), copies)
        rank = self._first_ranks(counts)[self._document[repeated]] + _places(copies)
        if self._average == "micro":  # one group: a whole copy is corrected before the next one
            tables, by = tables.pooled(), np.argsort(rank, kind="stable")
            rank, repeated = rank[by], repeated[by]
        rise = rises(self._group[repeated], self._is_fp[repeated], tables, self._measure)
        at_rank = np.bincount(rank, weights=rise, minlength=int(counts.sum()) + 1)
        left = np.append(np.cumsum(at_rank[:0:-1])[::-1], 0.0)
        scale = self._n_classes if self._average == "macro" else 1
        return np.asarray(self._end(counts) - left / scale)

    def start(self, counts: Counts) -> float:
        """Return the measure before anyone has checked a document."""
        return macro_or_micro(self._measure, self._tables(counts), self._average)

    def _tables(self, counts: Counts) -> ContingencyTables:
        tp = self._per_class(counts, *self._right)
        fp, fn = (
            self._per_class(counts, self._document[kind], self._label[kind])
            for kind in (self._is_fp, ~self._is_fp)
        )
        return ContingencyTables(tp, fp, fn, counts.sum() - tp - fp - fn)

    def _end(self, counts: Counts) -> float:
        """Return the measure when all labels are right."""
        tp = self._per_class(counts, *self._positive)
        none = np.zeros_like(tp)
        tables = ContingencyTables(tp, none, none, counts.sum() - tp)
        return macro_or_micro(self._measure, tables, self._average)

    def _per_class(self, counts: Counts, documents: Counts, labels: Counts) -> Array:
        """Count pairs of document and class, by class."""
        weights = counts[documents].astype(np.float64)
        found = np.bincount(labels, weights=weights, minlength=self._n_classes)
        return found.astype(np.float64)

    def _first_ranks(self, counts: Counts) -> Counts:
        """Return the rank of the first copy of each document."""
        first = np.empty(len(counts), dtype=np.int64)
        first[self._order] = 1 + np.cumsum(counts[self._order]) - counts[self._order]
        return first


def _places(copies: Counts) -> Counts:
    """Number the copies of each error.

    >>> _places(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    ends = np.cumsum(copies)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - copies, copies))
