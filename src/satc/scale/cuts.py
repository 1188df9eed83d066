"""Cuts of the classes from one pass over stored probabilities: a histogram of their log-odds.

A bin holds the number of its pairs and the sum of their probabilities. A cut is the lower edge of a
bin. The expected cells at an edge are known exactly; only cuts between two edges are not
considered. Edges are not round numbers, because scores often are: for a score exactly on an edge,
the rounding errors of the engine would decide the bin. Sums do not depend on the order of their
terms (`exact`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import expit, logit

from satc.contingency import ContingencyTables
from satc.decisions import NO_LABEL, Ordered, last_label
from satc.ranking.model import RankingModel
from satc.ranking.weights import unweighted
from satc.scale.exact import ExactSums, number, rounded_to
from satc.scale.stored import StoredScores

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_LIMIT = 24.0  # log-odds beyond this are in the first or the last bin
_FINEST, _COARSEST = 512, 16  # bins per unit of log-odds
_MOST_BINS = 1 << 23  # of all classes together, while there are at least `_COARSEST` per unit
_OFFSET = (math.sqrt(5.0) - 1.0) / 2.0  # of the edges, in bins
_UNIT = 2.0**-20  # to which a position inside a bin is rounded, so that sums are exact


def bins_per_unit(n_classes: int) -> int:
    """Return the number of bins per unit of log-odds, so that the driver can hold all bins.

    >>> bins_per_unit(10), bins_per_unit(1_000), bins_per_unit(100_000)
    (512, 174, 16)
    """
    return min(max(int(_MOST_BINS / (2 * _LIMIT * n_classes)), _COARSEST), _FINEST)


def lower_edges(place: Integers, n_classes: int) -> Array:
    """Return the probabilities at the lower edges of bins; 0 for the first bin."""
    per_unit = bins_per_unit(n_classes)
    edges = expit((place - _OFFSET) / per_unit)
    return np.where(place <= math.floor(-_LIMIT * per_unit + _OFFSET), 0.0, edges)


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of the log-odds of the classes; the fields are arrays with one entry per bin.

    Attributes
    ----------
    label, place : the class, and the place of the bin: larger places have larger log-odds
    can : whether its pairs can get the label; pairs that are not stored cannot
    n, p : the number of pairs, and the sum of their probabilities
    """

    label: Integers
    place: Integers
    can: NDArray[np.bool_]
    n: Array
    p: Array

    def where(self, chosen: Any) -> Bins:
        """Return some bins, by a mask, a slice or places."""
        return Bins(*(column[chosen] for column in vars(self).values()))

    def highest_first(self) -> Bins:
        """Return the bins class by class, the highest first."""
        return self.where(np.lexsort((-self.place, self.label)))

    def plus(self, other: Bins) -> Bins:
        """Return the bins of both."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Bins(*(np.concatenate(pair) for pair in pairs))


def best_cuts(bins: Bins, model: RankingModel) -> Array:
    """Return the cut of each class that is best for the measure of a model."""
    m, costs = model.n_classes, (model.weights or unweighted(model.n_classes)).costs
    if model.average == "micro":
        weights = (costs.classes[bins.label], costs.fp[bins.label], costs.fn[bins.label])
        return np.full(m, _best_cut(bins, weights, model))
    bins = bins.highest_first()
    ends = np.searchsorted(bins.label, np.arange(m + 1))
    cuts = np.full(m, NO_LABEL)
    for j, (start, end) in enumerate(pairwise(ends)):
        ones = np.ones(end - start)
        weights = (ones, costs.fp[j] * ones, costs.fn[j] * ones)
        cuts[j] = _best_cut(bins.where(slice(start, end)), weights, model)
    return cuts


def _best_cut(bins: Bins, weights: tuple[Array, Array, Array], model: RankingModel) -> float:
    """Return the cut of one list of bins, with a weight, a cost of FP and of FN for each bin."""
    places, candidates = _pooled(bins, weights, bins.can)
    if not len(places):
        return NO_LABEL
    never = None if bins.can.all() else _pooled(bins, weights, ~bins.can)[1]
    last = last_label(candidates, model.measure, never)
    return NO_LABEL if last is None else float(lower_edges(places[last], model.n_classes))


def _pooled(
    bins: Bins, weights: tuple[Array, Array, Array], chosen: NDArray[np.bool_]
) -> tuple[Integers, Ordered]:
    """Pool the bins of all classes at the same place, the highest first."""
    weight, fp, fn = weights
    places, group = np.unique(-bins.place[chosen], return_inverse=True)

    def total(values: Array) -> Array:
        return np.asarray(np.bincount(group, values[chosen], len(places)), dtype=np.float64)

    counted, positive = weight * bins.n, weight * bins.p
    negative = counted - positive
    sums = total(counted), total(positive), total(negative)
    some = sums[0] > 0
    ordered = Ordered(
        np.minimum.accumulate(sums[1][some] / sums[0][some]),
        sums[0][some],
        _mean(total(fp * negative), sums[2])[some],
        _mean(total(fn * positive), sums[1])[some],
    )
    return -places[some], ordered


def _mean(total: Array, weight: Array) -> Array:
    return np.divide(total, weight, out=np.ones_like(total), where=weight > 0)


def cells_at(bins: Bins, cuts: Array) -> ContingencyTables:
    """Return the expected cells of the classes under cuts that `best_cuts` has returned."""
    m = len(cuts)
    label = bins.can & (lower_edges(bins.place, m) >= cuts[bins.label])

    def total(values: Array, chosen: Any = slice(None)) -> Array:
        return np.asarray(np.bincount(bins.label[chosen], values[chosen], m), dtype=np.float64)

    tp, positives = total(bins.p, label), total(bins.p)
    fp, fn = total(bins.n, label) - tp, positives - tp
    return ContingencyTables(tp, fp, fn, total(bins.n) - tp - fp - fn)


def bins_of_scores(scores: StoredScores, sigma: float) -> Bins:
    """Count the stored pairs by their log-odds, sigma x score, in the engine.

    The probability of a bin is that of its mean log-odds.
    """
    per_unit = bins_per_unit(len(scores.classes))
    rows = scores.engine.run(_bins_expression(scores, sigma, per_unit))
    label = _labels(rows["name"], scores.classes)
    place, n, inside = (rows[name].to_numpy() for name in ("place", "n", "inside"))
    p = n * expit((place + inside / n - _OFFSET) / per_unit)
    bins = Bins(label, place, np.ones(len(p), dtype=bool), n.astype(np.float64), p)
    bins = bins.where(label >= 0)
    if scores.absent is None:
        return bins
    stored = np.bincount(bins.label, bins.n, len(scores.classes))
    absent = np.maximum(scores.n_documents - stored, 0.0)
    return bins.plus(_absent_bins(absent, -sigma * scores.absent))


def _bins_expression(scores: StoredScores, sigma: float, per_unit: int) -> Any:
    """Expression: class, place of the bin, its pairs, sum of their positions inside the bin."""
    pairs = scores.pairs
    pairs = pairs.select(name=pairs["class"].cast("string"), score=pairs.score.cast("float64"))
    pairs = pairs.filter(pairs.score - pairs.score == 0)  # null, infinite and NaN are flaws
    if scores.absent is not None:
        pairs = pairs.filter(pairs.score != number(-scores.absent))
    odds = ibis.least(pairs.score * number(sigma), number(_LIMIT))
    at = ibis.greatest(odds, number(-_LIMIT)) * number(per_unit) + number(_OFFSET)
    pairs = pairs.select("name", at=at).view()  # so that the SQL contains the position only once
    pairs = pairs.select("name", "at", place=pairs["at"].floor().cast("int64")).view()
    inside = rounded_to(pairs["at"] - pairs.place, _UNIT)
    return pairs.group_by("name", "place").aggregate(n=pairs.count(), inside=inside.sum())


def _labels(names: pa.ChunkedArray, classes: tuple[str, ...]) -> Integers:
    """Return the column numbers of classes; -1 for an unknown class."""
    encoded = names.combine_chunks().dictionary_encode()
    known = {name: label for label, name in enumerate(classes)}
    labels = np.array([known.get(name, -1) for name in encoded.dictionary.to_pylist()])
    return np.asarray(labels[encoded.indices.to_numpy()], dtype=np.int64)


def _absent_bins(n: Array, odds: float) -> Bins:
    """Return one bin per class for the pairs that are not stored."""
    m = len(n)
    place = np.full(m, math.floor(odds), dtype=np.int64)
    return Bins(np.arange(m), place, np.zeros(m, dtype=bool), n, n * expit(odds))


BIN_SCHEMA = pa.schema(
    [("key", pa.int64()), *((name, pa.float64()) for name in ("n", "coarse", "fine"))]
)
_MERGE_AT = 16  # parts


class PairCounter:
    """Count pairs by the log-odds of their probabilities, block by block, on a worker.

    A bin is identified by one integer: its class, whether its pairs can get the label, its place.
    """

    def __init__(self, n_classes: int, sums: ExactSums) -> None:
        self._per_unit = bins_per_unit(n_classes)
        self._first = math.floor(-_LIMIT * self._per_unit + _OFFSET)
        self._width = 2 - 2 * self._first
        self._sums = sums
        self._parts: list[tuple[Any, ...]] = []

    def add(self, probability: Array, can: NDArray[np.bool_]) -> None:
        """Count the pairs of a block of documents."""
        odds = np.clip(logit(probability), -_LIMIT, _LIMIT)
        place = np.floor(odds * self._per_unit + _OFFSET).astype(np.int64) - self._first
        key = (2 * np.arange(probability.shape[1]) + can) * self._width + place
        cells = (np.ones(odds.shape), *self._sums.cut(probability))
        self._parts.append(_merged(key.ravel(), *(cell.ravel() for cell in cells)))
        if len(self._parts) >= _MERGE_AT:
            self._merge()

    def _merge(self) -> None:
        columns = zip(*self._parts, strict=True)
        self._parts = [_merged(*(np.concatenate(column) for column in columns))]

    def rows(self) -> pa.RecordBatch:
        """Return one row for each bin."""
        if not self._parts:
            return pa.record_batch([pa.array([], kind) for kind in BIN_SCHEMA.types], BIN_SCHEMA)
        self._merge()
        return pa.record_batch([pa.array(column) for column in self._parts[0]], BIN_SCHEMA)

    def bins(self, rows: pa.Table) -> Bins:
        """Return the bins from rows."""
        key, n, coarse, fine = _merged(*(rows[name].to_numpy() for name in BIN_SCHEMA.names))
        group, place = np.divmod(key, self._width)
        return Bins(group // 2, place + self._first, group % 2 == 1, n, coarse + fine)


def added(rows: Any) -> Any:
    """Expression: the rows of all workers, with those of the same bin added."""
    sums = {name: rows[name].sum() for name in BIN_SCHEMA.names if name != "key"}
    return rows.group_by("key").aggregate(**sums)


def _merged(key: Integers, *sums: Array) -> tuple[Any, ...]:
    """Add the rows that have the same key."""
    order = np.argsort(key, kind="stable")
    key = key[order]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
    return key[starts], *(np.add.reduceat(column[order], starts) for column in sums)
