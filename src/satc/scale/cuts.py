"""Cuts of the classes from one pass over stored probabilities: a histogram of their log-odds.

A bin holds the number of its pairs, the sum of their probabilities, and its smallest and largest
log-odds. A cut can be between two bins of a class only. The expected cells at such a cut are exact,
so a cut loses at most what the pairs inside one bin could bring. The cut is put into the middle
between the last pair that gets the label and the first one that does not, so that the rounding
errors of different engines do not change a label. Sums of probabilities do not depend on their
order (`exact`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import expit, logit

from satc.contingency import ContingencyTables
from satc.decisions import NO_LABEL, Ordered, last_label
from satc.ranking.model import RankingModel
from satc.ranking.weights import unweighted
from satc.scale.decisions import membership_probability
from satc.scale.exact import ExactSums, number
from satc.scale.stored import StoredScores

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_LIMIT = 24.0  # log-odds beyond this are in the first or the last bin
_LARGEST = 36.0  # log-odds beyond this have a probability of 0 or 1
_FINEST, _COARSEST = 1024, 16  # bins per unit of log-odds
_MOST_BINS = 1 << 23  # of all classes together, while there are at least `_COARSEST` per unit


def bins_per_unit(n_classes: int) -> int:
    """Return the number of bins per unit of log-odds, so that the driver can hold all bins.

    >>> bins_per_unit(10), bins_per_unit(1_000), bins_per_unit(100_000)
    (1024, 174, 16)
    """
    return min(max(int(_MOST_BINS / (2 * _LIMIT * n_classes)), _COARSEST), _FINEST)


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of the log-odds of the classes; the fields are arrays with one entry per bin.

    Attributes
    ----------
    label, place : the class, and the place of the bin: larger places have larger log-odds
    can : whether its pairs can get the label; pairs that are not stored cannot
    n, p : the number of pairs, and the sum of their probabilities
    low, high : the smallest and the largest log-odds
    """

    label: Integers
    place: Integers
    can: NDArray[np.bool_]
    n: Array
    p: Array
    low: Array
    high: Array

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
    costs = (model.weights or unweighted(model.n_classes)).costs
    if model.average == "micro":
        weights = (costs.classes[bins.label], costs.fp[bins.label], costs.fn[bins.label])
        return np.full(model.n_classes, _best_cut(bins, weights, model))
    bins = bins.highest_first()
    ends = np.searchsorted(bins.label, np.arange(model.n_classes + 1))
    cuts = np.full(model.n_classes, NO_LABEL)
    for j, (start, end) in enumerate(pairwise(ends)):
        ones = np.ones(end - start)
        weights = (ones, costs.fp[j] * ones, costs.fn[j] * ones)
        cuts[j] = _best_cut(bins.where(slice(start, end)), weights, model)
    return cuts


def _best_cut(bins: Bins, weights: tuple[Array, Array, Array], model: RankingModel) -> float:
    """Return the cut of one list of bins, with a weight, a cost of FP and of FN for each bin."""
    candidates, low, high = _pooled(bins, weights, bins.can)
    if not len(candidates.p):
        return NO_LABEL
    never = None if bins.can.all() else _pooled(bins, weights, ~bins.can)[0]
    last = last_label(candidates, model.measure, never)
    if last is None:
        return NO_LABEL
    below = high[last + 1] if last + 1 < len(high) else low[last] - 1.0
    return float(expit((low[last] + below) / 2))


def _pooled(
    bins: Bins, weights: tuple[Array, Array, Array], chosen: NDArray[np.bool_]
) -> tuple[Ordered, Array, Array]:
    """Pool bins of the same place, highest first; return their smallest and largest log-odds."""
    weight, fp, fn = weights
    _, group = np.unique(-bins.place[chosen], return_inverse=True)
    size = int(group.max(initial=-1)) + 1

    def total(values: Array) -> Array:
        return np.asarray(np.bincount(group, values[chosen], size), dtype=np.float64)

    counted, positive = weight * bins.n, weight * bins.p
    negative = counted - positive
    sums = total(counted), total(positive), total(negative)
    some = sums[0] > 0
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, group, bins.low[chosen])
    np.maximum.at(high, group, bins.high[chosen])
    ordered = Ordered(
        np.minimum.accumulate(sums[1][some] / sums[0][some]),
        sums[0][some],
        _mean(total(fp * negative), sums[2])[some],
        _mean(total(fn * positive), sums[1])[some],
    )
    return ordered, low[some], high[some]


def _mean(total: Array, weight: Array) -> Array:
    return np.divide(total, weight, out=np.ones_like(total), where=weight > 0)


def cells_at(bins: Bins, cuts: Array) -> ContingencyTables:
    """Return the expected cells of the classes under cuts that `best_cuts` has returned."""
    m = len(cuts)
    label = bins.can & (expit(bins.low) >= cuts[bins.label])

    def total(values: Array, chosen: Any = slice(None)) -> Array:
        return np.asarray(np.bincount(bins.label[chosen], values[chosen], m), dtype=np.float64)

    tp, positives = total(bins.p, label), total(bins.p)
    fp, fn = total(bins.n, label) - tp, positives - tp
    return ContingencyTables(tp, fp, fn, total(bins.n) - tp - fp - fn)


def bins_of_scores(scores: StoredScores, sigma: float) -> Bins:
    """Count the stored pairs by their log-odds, sigma x score, in the engine."""
    n, m = scores.n_documents, len(scores.classes)
    rows = scores.engine.run(_bins_expression(scores, sigma, ExactSums(1.0, n)))
    names = {name: label for label, name in enumerate(scores.classes)}
    label = np.array([names.get(name, -1) for name in rows["name"].to_pylist()], dtype=np.int64)
    columns = {name: rows[name].to_numpy() for name in rows.column_names if name != "name"}
    p = columns["coarse"] + columns["fine"]
    odds = [np.clip(columns[name] * sigma, -_LARGEST, _LARGEST) for name in ("low", "high")]
    bins = Bins(
        label, columns["place"], np.ones(len(p), dtype=bool), columns["n"].astype(float), p, *odds
    ).where(label >= 0)
    if scores.absent is None:
        return bins
    stored = np.bincount(bins.label, bins.n, m)
    return bins.plus(_absent_bins(np.maximum(n - stored, 0.0), -sigma * scores.absent))


def _bins_expression(scores: StoredScores, sigma: float, sums: ExactSums) -> Any:
    """Expression: class, place of the bin, pairs, sum of probabilities, smallest, largest score."""
    pairs = scores.pairs
    pairs = pairs.select(name=pairs["class"].cast("string"), score=pairs.score.cast("float64"))
    pairs = pairs.filter(pairs.score - pairs.score == 0)  # null, infinite and NaN are flaws
    if scores.absent is not None:
        pairs = pairs.filter(pairs.score != number(-scores.absent))
    odds = (pairs.score * number(sigma)).clip(number(-_LIMIT), number(_LIMIT))
    place = (odds * number(bins_per_unit(len(scores.classes)))).floor().cast("int64")
    coarse, fine = sums.cut(membership_probability(pairs.score, sigma))
    pairs = pairs.select("name", "score", place=place, coarse=coarse, fine=fine)
    return pairs.group_by("name", "place").aggregate(
        n=pairs.count(),
        coarse=pairs.coarse.sum(),
        fine=pairs.fine.sum(),
        low=pairs.score.min(),
        high=pairs.score.max(),
    )


def _absent_bins(n: Array, odds: float) -> Bins:
    """Return one bin per class for the pairs that are not stored."""
    m = len(n)
    place = np.full(m, np.floor(odds), dtype=np.int64)
    same = np.full(m, odds)
    return Bins(np.arange(m), place, np.zeros(m, dtype=bool), n, n * expit(odds), same, same)


_CELLS = ("n", "coarse", "fine", "low", "high")
BIN_SCHEMA = pa.schema([("key", pa.int64()), *((name, pa.float64()) for name in _CELLS)])
_MERGE_AT = 16  # parts


class PairCounter:
    """Count pairs by their log-odds, block by block, on a worker.

    A bin is identified by one integer: its class, whether its pairs can get the label, its place.
    """

    def __init__(self, n_classes: int, sums: ExactSums) -> None:
        self._resolution = bins_per_unit(n_classes)
        self._width = int(2 * _LIMIT * self._resolution) + 1
        self._sums = sums
        self._parts: list[tuple[Array, ...]] = []

    def add(self, probability: Array, can: NDArray[np.bool_]) -> None:
        """Count the pairs of a block of documents."""
        odds = np.clip(logit(probability), -_LARGEST, _LARGEST)
        place = np.floor((np.clip(odds, -_LIMIT, _LIMIT) + _LIMIT) * self._resolution)
        label = np.arange(probability.shape[1])
        key = (2 * label + can) * self._width + place.astype(np.int64)
        coarse, fine = self._sums.cut(probability)
        cells = (np.ones(odds.shape), coarse, fine, odds, odds)
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
        """Return the bins from the rows of all workers."""
        key, n, coarse, fine, low, high = _merged(
            *(rows[name].to_numpy() for name in BIN_SCHEMA.names)
        )
        group, place = np.divmod(key, self._width)
        return Bins(group // 2, place, group % 2 == 1, n, coarse + fine, low, high)


def _merged(key: Any, n: Array, coarse: Array, fine: Array, low: Array, high: Array) -> Any:
    """Merge the rows that have the same key."""
    order = np.argsort(key, kind="stable")
    key = key[order]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
    sums = (np.add.reduceat(column[order], starts) for column in (n, coarse, fine))
    return (
        key[starts],
        *sums,
        np.minimum.reduceat(low[order], starts),
        np.maximum.reduceat(high[order], starts),
    )
