r"""Decisions: from probabilities to labels, by the sign of a score or for a measure.

The sign of a score is the classifier's own decision (the paper's, Section 3). Labels *chosen for a
measure* maximise what the measure is expected to be under the probabilities P(label | document).
For a measure of one contingency table, the best labels of a class are the k documents of the
largest probability, for some k; so k is looked for along that order.

The expected cells of the first k documents are TP = c(k), the sum of their probabilities, FP =
k - c(k) and FN = C - c(k), where C is the sum over all documents. A measure of these cells is close
to the expected measure where a class has many documents. For F-beta the expectation itself is
computed, which matters for rare classes: with independent labels,

.. math:: E[F_\beta] = (1 + \beta^2) \sum_{i \le k} p_i \int_0^\infty e^{-(k + \beta^2) s}
          \prod_{j \ne i} (1 - p_j + p_j e^{-\beta^2 s}) ds,

one quadrature over s for all k. No label at all is worth 1 if no document belongs to the class,
which is as probable as the product of the 1 - p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.inputs import Labels, Scores, check_average
from satc.measures import FBeta, Measure, NamedMeasure, evaluate

Array = NDArray[np.float64]

NO_LABEL = np.inf  # the cut of a class that no document gets
_STEP = 0.4  # of the quadrature, in ln s
_SMALL = 0.02  # smaller probabilities enter the product by their power sums
_MOST_CUTS = 1_000  # for measures that are called table by table
_MANY = 2_000.0  # expected positives from which E[F] and F of the expected cells are the same


@dataclass(frozen=True, eq=False)
class Decided:
    """Labels of documents.

    Attributes
    ----------
    labels : bool array of shape (n_documents, n_classes)
    cuts : float array of shape (n_classes,), or None
        The smallest probability that gets the label, for each class; infinity where no document
        gets it. None where labels do not go by probabilities.
    expected : float or None
        The expected value of the measure under the probabilities; None where these are not known.
    """

    labels: Labels
    cuts: Array | None = None
    expected: float | None = None


class Costs(NamedTuple):
    """Weights of classes, and what false positives and false negatives cost, one per class."""

    classes: Array
    fp: Array
    fn: Array


def by_sign(scores: Scores) -> Labels:
    """Return the classifier's own decisions: a score of 0 or more is a label.

    >>> by_sign(np.array([[0.5, -0.1], [0.0, -2.0]])).tolist()
    [[True, False], [True, False]]
    """
    return np.asarray(scores >= 0)


def by_cuts(probability: Array, cuts: Array) -> Labels:
    """Return the labels whose probability reaches the cut of their class."""
    return np.asarray(probability >= cuts)


def choose(
    probability: Array, measure: Measure, average: str = "macro", costs: Costs | None = None
) -> Decided:
    """Choose the labels that maximise the expected value of a measure.

    Parameters
    ----------
    probability : array of shape (n_documents, n_classes)
        P(document belongs to class); 0 or 1 where that is known.
    measure : callable of (tp, fp, fn, tn)
    average : {"macro", "micro"}
        Macro chooses class by class; micro has one cut for all pairs.
    costs : Costs, optional
        Errors count by their costs; in the pooled table of micro, classes by their weights.

    Examples
    --------
    >>> from satc.measures import parse
    >>> P = np.array([[0.9], [0.8], [0.45], [0.01]])
    >>> choose(P, parse("f1")).labels.ravel().tolist()
    [True, True, True, False]
    >>> choose(P, parse("accuracy")).labels.ravel().tolist()
    [True, True, False, False]
    """
    check_average(average)
    m = probability.shape[1]
    if average == "micro":
        order = np.argsort(-probability.ravel(), kind="stable")
        pairs = Ordered(probability.ravel()[order], np.ones(1))
        if costs is not None:
            label = order % m
            pairs = Ordered(pairs.p, costs.classes[label], costs.fp[label], costs.fn[label])
        best = best_cut(pairs, measure, pooled=True)
        cuts, expected = np.full(m, best.of(pairs.p)), best.expected
    else:
        cuts, values = np.empty(m), np.empty(m)
        for j in range(m):
            column = Ordered(-np.sort(-probability[:, j]), np.ones(1), *costs_of(costs, j))
            best = best_cut(column, measure)
            cuts[j], values[j] = best.of(column.p), best.expected
        expected = float(values.mean())
    return Decided(by_cuts(probability, cuts), cuts, expected)


def expected_value(
    probability: Array, labels: Labels, measure: Measure, average: str = "macro"
) -> float:
    """Return the measure of the expected cells of given labels, macro or micro."""
    check_average(average)
    if average == "micro":
        return _measure_of(probability.ravel(), labels.ravel(), measure)
    pairs = zip(probability.T, labels.T, strict=True)
    return float(np.mean([_measure_of(p, decided, measure) for p, decided in pairs]))


class Ordered(NamedTuple):
    """Probabilities in decreasing order, with the weight of each: 1, or how many have it."""

    p: Array
    weight: Array
    fp: Any = 1.0  # cost of a false positive
    fn: Any = 1.0


class Best(NamedTuple):
    """The place of the last probability that gets the label, or None, and the expected value."""

    place: int | None
    expected: float

    def of(self, cuts: Array) -> float:
        """Return the cut at this place."""
        return NO_LABEL if self.place is None else float(cuts[self.place])


def costs_of(costs: Costs | None, j: int) -> tuple[float, float]:
    """Return the costs of a false positive and of a false negative of one class."""
    return (1.0, 1.0) if costs is None else (float(costs.fp[j]), float(costs.fn[j]))


def best_cut(ordered: Ordered, measure: Measure, *, pooled: bool = False) -> Best:
    """Find where to cut: by the expectation of F-beta, or by the measure of expected cells."""
    plain = not pooled and ordered.fp == 1.0 and ordered.fn == 1.0
    if plain and isinstance(measure, FBeta) and (ordered.weight * ordered.p).sum() < _MANY:
        return _best_f_beta(ordered, measure.beta**2)
    return _best_along(ordered, measure)


def _best_along(ordered: Ordered, measure: Measure) -> Best:
    p, weight, fp, fn = ordered
    ends = _ends(p, measure)
    tp = np.cumsum(weight * p)[ends]
    false = np.cumsum(weight * fp * (1.0 - p))[ends]
    missing, negatives = weight * fn * p, weight * (1.0 - p)
    left = missing.sum() - np.cumsum(missing)[ends]
    tn = negatives.sum() - np.cumsum(negatives)[ends]
    values = evaluate(measure, tp, false, np.maximum(left, 0.0), np.maximum(tn, 0.0))
    none, best = _value_of_none(ordered, measure), int(np.argmax(values))
    if none >= values[best]:
        return Best(None, none)
    return Best(int(ends[best]), float(values[best]))


def _value_of_none(ordered: Ordered, measure: Measure) -> float:
    """Return the expected measure of no label: no document belongs to the class, or some do."""
    p, weight, _, fn = ordered
    nobody = _nobody(ordered)
    total = float(np.sum(np.broadcast_to(weight, p.shape)))
    belonging = float((weight * p).sum())
    positives = min(belonging / max(1.0 - nobody, 1e-12), total)
    cost = float((weight * fn * p).sum()) / max(belonging, 1e-300)
    clear = evaluate(measure, 0.0, 0.0, 0.0, total)
    missed = evaluate(measure, 0.0, 0.0, positives * cost, total - positives)
    return float(nobody * clear + (1.0 - nobody) * missed)


def _nobody(ordered: Ordered) -> float:
    """Return the probability that no document belongs to the class."""
    return float(np.exp((ordered.weight * np.log1p(-np.minimum(ordered.p, 1.0 - 1e-15))).sum()))


def _ends(p: Array, measure: Measure) -> NDArray[np.int64]:
    """Return the last places of equal probabilities, where a cut can be; some, if slow."""
    ends = np.append(np.flatnonzero(p[1:] < p[:-1]), len(p) - 1)
    if isinstance(measure, FBeta | NamedMeasure) or len(ends) <= _MOST_CUTS:
        return ends
    spaced = np.linspace(0.0, np.sqrt(len(ends) - 1), _MOST_CUTS) ** 2
    return ends[np.unique(spaced.round().astype(np.int64))]


def _best_f_beta(ordered: Ordered, squared: float) -> Best:
    """Find the best cut by the expectation of F-beta itself."""
    likely = _n_likely(ordered, squared)
    counts = np.broadcast_to(ordered.weight, ordered.p.shape)[:likely].astype(np.int64)
    p = np.repeat(ordered.p[:likely], counts)
    ends = np.append(p[1:] < p[:-1], True)
    s, log_weight = _quadrature(ordered, len(p), squared)
    k, value = _largest_expectation(p, ends, s, log_weight, squared)
    nobody = _nobody(ordered)
    if nobody >= value:
        return Best(None, nobody)
    return Best(int(np.searchsorted(np.cumsum(counts), k)), float(value))


def _n_likely(ordered: Ordered, squared: float) -> int:
    """Return how many of the probabilities can be those of labelled documents.

    The first k documents have F = (1 + b^2) c(k) / (k + b^2 C). One more document raises it only if
    its probability is above F / (1 + b^2), so that half of the largest value is a safe limit.
    """
    c = np.cumsum(ordered.weight * ordered.p)
    k = np.cumsum(np.broadcast_to(ordered.weight, ordered.p.shape))
    limit = 0.5 * float(np.max(c / (k + squared * c[-1])))
    return max(int(np.searchsorted(-ordered.p, -limit, side="right")), 1)


def _quadrature(ordered: Ordered, n_likely: int, squared: float) -> tuple[Array, Array]:
    """Return places s, and ln of: weight x product over all documents, for each of them."""
    p, weight = ordered.p, np.broadcast_to(ordered.weight, ordered.p.shape)
    total = float((weight * p).sum())
    first = np.log(1e-6 / (1.0 + n_likely + (1.0 + squared) * total))
    s = np.exp(np.arange(first, np.log(45.0 / min(1.0, squared)), _STEP))
    survives = np.exp(-squared * s)
    n_large = int(np.searchsorted(-p, -_SMALL, side="right"))
    large, small = p[:n_large, np.newaxis], p[n_large:]
    log_product = weight[:n_large] @ np.log(1.0 - large + large * survives)
    x, counts = 1.0 - survives, weight[n_large:]
    for power in (1, 2, 3):
        log_product -= x**power * float((counts * small**power).sum()) / power
    return s, log_product + np.log(_STEP * s)


@njit(cache=True)
def _largest_expectation(
    p: Array, ends: NDArray[np.bool_], s: Array, log_weight: Array, squared: float
) -> tuple[int, float]:
    """Return the k of the largest expected F-beta of the first k documents, and its value."""
    survives = np.exp(-squared * s)
    decay = np.exp(-s)
    weight = np.exp(log_weight - squared * s)
    inner = np.zeros(len(s))
    best, value = 0, 0.0
    for i in range(len(p)):
        expected = 0.0
        for q in range(len(s)):
            weight[q] *= decay[q]
            inner[q] += p[i] / (1.0 - p[i] + p[i] * survives[q])
            expected += weight[q] * inner[q]
        expected *= 1.0 + squared
        if ends[i] and expected > value:
            best, value = i + 1, expected
    return best, value


def _measure_of(p: Array, decided: Labels, measure: Measure) -> float:
    tp, n, positives = float(p[decided].sum()), float(decided.sum()), float(p.sum())
    if not n:
        return _value_of_none(Ordered(p, np.ones(1)), measure)
    cells = (tp, n - tp, max(positives - tp, 0.0), max(len(p) - n - positives + tp, 0.0))
    return float(evaluate(measure, *cells))
