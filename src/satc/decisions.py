r"""Decisions: from probabilities to labels, by the sign of a score or for a measure.

The sign of a score is the classifier's own decision (the paper's, Section 3). Labels *chosen for a
measure* maximise the measure of the cells that are expected under the probabilities P(label |
document). The best labels of a class are then the k documents of the largest probability, for some
k: the expected cells of the first k are TP = c(k), the sum of their probabilities, FP = k - c(k)
and FN = C - c(k), where C is the sum over all documents. No label at all is right if no document
belongs to the class, which is as probable as the product of the 1 - p.

The *expected value* of F-beta is not the F-beta of the expected cells where a class is rare. With
independent labels it is

.. math:: E[F_\beta] = (1 + \beta^2) \sum_{i \le k} p_i \int_0^\infty e^{-(k + \beta^2) s}
          \prod_{j \ne i} (1 - p_j + p_j e^{-\beta^2 s}) ds

and one quadrature computes it. On training documents, labels that maximise it did no better than
those that maximise the measure of the expected cells (`docs/research/decisions.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.inputs import SINGLE_LABEL, Labels, check_average
from satc.measures import FBeta, Measure, NamedMeasure, evaluate

Array = NDArray[np.float64]

LEAST_RELATIVE_PROBABILITY = 0.5  # of the largest probability, for the only label of a document
NO_LABEL = np.inf  # the cut of a class that no document gets
OWN_LABELS = np.nan  # the cut of a class that keeps the classifier's own labels
_STEP = 0.4  # of the quadrature, in ln s
_MOST_CUTS = 1_000  # for measures that are called table by table


@dataclass(frozen=True, eq=False)
class OneLabelRule:
    """The label of a document is the class with the largest ``slope * probability + offset``.

    Only classes that are at least half as probable as the most probable one are considered. Without
    that, a document that fits into no class would go to the largest class, where it does least
    harm, although nobody believes that it belongs there.
    """

    slope: Array
    offset: Array

    def labels(self, probability: Array, possible: Labels | None = None) -> Labels:
        """Return one label for each document, as an indicator matrix.

        `possible` are the pairs that can get a label; by default all can.
        """
        candidates = where_possible(probability, possible)
        likely = candidates >= LEAST_RELATIVE_PROBABILITY * candidates.max(axis=1, keepdims=True)
        return largest(np.where(likely, self.slope * probability + self.offset, -np.inf))


def where_possible(values: Any, possible: Labels | None) -> Any:
    """Return the values, minus infinity where a label is not possible; None: all are possible."""
    return values if possible is None else np.where(possible, values, -np.inf)


def largest(values: Any) -> Labels:
    """Mark the largest value of each row; of several, the first.

    >>> largest(np.array([[0.2, 0.8], [0.5, 0.5]])).tolist()
    [[False, True], [True, False]]
    """
    labels = np.zeros(values.shape, dtype=bool)
    labels[np.arange(len(values)), np.argmax(values, axis=1)] = True
    return labels


@dataclass(frozen=True, eq=False)
class Decided:
    """Labels of documents.

    Attributes
    ----------
    labels : bool array of shape (n_documents, n_classes)
    cuts : float array of shape (n_classes,), or None
        The smallest probability that gets the label, for each class; infinity where no document
        gets it, NaN where the labels of the class are the classifier's own. None where labels do
        not go by probabilities.
    expected : float or None
        The expected value of the measure under the probabilities; None where these are not known.
    rule : OneLabelRule or None
        Where every document has exactly one label that was chosen for the measure: how it follows
        from the probabilities.
    """

    labels: Labels
    cuts: Array | None = None
    expected: float | None = None
    rule: OneLabelRule | None = None


class Costs(NamedTuple):
    """Weights of classes, and what false positives and false negatives cost, one per class."""

    classes: Array
    fp: Array
    fn: Array


def by_sign(scores: Any) -> Any:
    """Return the classifier's own decisions: a score of 0 or more is a label.

    This is the only place that says so. `scores` may be an array, a number or a column of a
    database; compiled loops call `is_label`.

    >>> by_sign(np.array([[0.5, -0.1], [0.0, -2.0]])).tolist()
    [[True, False], [True, False]]
    """
    return scores >= 0


def own_labels(scores: Any, task: str, possible: Labels | None = None) -> Labels:
    """Return the classifier's own labels: by the signs of the scores, or the largest one.

    `possible` are the pairs that can be the one label of a document; by default all can.

    >>> own_labels(np.array([[0.5, -0.1], [-3.0, -2.0]]), "single-label").tolist()
    [[True, False], [False, True]]
    """
    if task == SINGLE_LABEL:
        return largest(where_possible(scores, possible))
    return np.asarray(by_sign(scores))


is_label = njit(cache=True, inline="always")(by_sign)


def by_cuts(probability: Array, cuts: Array) -> Labels:
    """Return the labels whose probability reaches the cut of their class."""
    return np.asarray(probability >= cuts)


def choose(
    probability: Array, measure: Measure, average: str = "macro", costs: Costs | None = None
) -> Decided:
    """Choose the labels that are best for a measure.

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
        cuts = np.full(m, best_cut(_all_pairs(probability, costs), measure))
    else:
        columns = (-np.sort(-column) for column in probability.T)
        cuts = np.array([best_cut(ordered(p, costs, j), measure) for j, p in enumerate(columns)])
    labels = by_cuts(probability, cuts)
    return Decided(labels, cuts, expected_value(probability, labels, measure, average))


def expected_value(
    probability: Array, labels: Labels, measure: Measure, average: str = "macro"
) -> float:
    """Return the expected value of a measure of given labels.

    For F-beta it is the expectation itself, for other measures the measure of the expected cells;
    so it is for the one large table of micro-averaging.
    """
    check_average(average)
    if average == "micro":
        return _of_expected_cells(probability.ravel(), labels.ravel(), measure)
    pairs = zip(probability.T, labels.T, strict=True)
    if isinstance(measure, FBeta):
        return float(np.mean([_expected_f_beta(p, decided, measure) for p, decided in pairs]))
    return float(np.mean([_of_expected_cells(p, decided, measure) for p, decided in pairs]))


class Ordered(NamedTuple):
    """Probabilities in decreasing order, how much each counts, and what errors cost."""

    p: Array
    weight: Any = 1.0
    fp: Any = 1.0
    fn: Any = 1.0


def ordered(p: Array, costs: Costs | None, j: int) -> Ordered:
    """Return the ordered probabilities of one class with the costs of its errors."""
    return Ordered(p) if costs is None else Ordered(p, 1.0, costs.fp[j], costs.fn[j])


def _all_pairs(probability: Array, costs: Costs | None) -> Ordered:
    """Return the pairs of all classes in one order, with the weights and costs of their classes."""
    if costs is None:
        return Ordered(-np.sort(-probability.ravel()))
    order = np.argsort(-probability.ravel(), kind="stable")
    label = order % probability.shape[1]
    p = probability.ravel()[order]
    return Ordered(p, costs.classes[label], costs.fp[label], costs.fn[label])


def best_cut(candidates: Ordered, measure: Measure) -> float:
    """Find the smallest probability that gets the label; infinity where none does."""
    last = last_label(candidates, measure)
    return NO_LABEL if last is None else float(candidates.p[last])


def last_label(candidates: Ordered, measure: Measure, never: Ordered | None = None) -> int | None:
    """Find the last place that gets the label; None where none does.

    Pairs in `never` count in the cells, but cannot get the label.
    """
    p, weight, fp, fn = candidates
    ends = _ends(p, measure)
    positives, negatives = weight * p, weight * (1.0 - p)
    missing = positives if _is_one(fn) else weight * fn * p
    missed, clear = missing.sum(), negatives.sum()
    if never is not None:
        missed = missed + (never.weight * never.fn * never.p).sum()
        clear = clear + (never.weight * (1.0 - never.p)).sum()
    tp, right = np.cumsum(positives)[ends], np.cumsum(negatives)[ends]
    false = right if _is_one(fp) else np.cumsum(fp * negatives)[ends]
    found = tp if _is_one(fn) else np.cumsum(missing)[ends]
    left, tn = np.maximum(missed - found, 0.0), np.maximum(clear - right, 0.0)
    values = evaluate(measure, tp, false, left, tn)
    best = int(np.argmax(values))
    none = candidates if never is None else _together(candidates, never)
    if _value_of_none(none, measure) >= values[best]:
        return None
    return int(ends[best])


def _is_one(cost: Any) -> bool:
    """Whether a cost is 1 for all pairs, so that sums with it and without it are the same."""
    return isinstance(cost, float) and cost == 1.0


def _together(*parts: Ordered) -> Ordered:
    """Return all pairs of several parts; their order is lost."""
    full = [Ordered(*np.broadcast_arrays(*part)) for part in parts]
    return Ordered(*(np.concatenate(columns) for columns in zip(*full, strict=True)))


def _ends(p: Array, measure: Measure) -> NDArray[np.int64]:
    """Return the last places of equal probabilities, where a cut can be; some, if slow."""
    ends = np.append(np.flatnonzero(p[1:] < p[:-1]), len(p) - 1)
    if isinstance(measure, FBeta | NamedMeasure) or len(ends) <= _MOST_CUTS:
        return ends
    spaced = np.linspace(0.0, np.sqrt(len(ends) - 1), _MOST_CUTS) ** 2
    return ends[np.unique(spaced.round().astype(np.int64))]


def _value_of_none(candidates: Ordered, measure: Measure) -> float:
    """Return the expected measure of no label: no document belongs to the class, or some do."""
    p, weight, _, fn = candidates
    nobody = float(np.exp((weight * np.log1p(-np.minimum(p, 1.0 - 1e-15))).sum()))
    total = float(np.sum(np.broadcast_to(weight, p.shape)))
    belonging = float((weight * p).sum())
    positives = min(belonging / max(1.0 - nobody, 1e-12), total)
    cost = float((weight * fn * p).sum()) / max(belonging, 1e-300)
    return _mean_of_none(nobody, positives, cost, total, measure)


def _mean_of_none(
    nobody: float, positives: float, fn_cost: float, total: float, measure: Measure
) -> float:
    clear = evaluate(measure, 0.0, 0.0, 0.0, total)
    missed = evaluate(measure, 0.0, 0.0, positives * fn_cost, total - positives)
    return float(nobody * clear + (1.0 - nobody) * missed)


def value_of_none_from_sums(
    log_nobody: float, positives: float, n_documents: int, measure: Measure, fn_cost: float = 1.0
) -> float:
    """Return the expected measure of a class that no document gets, from sums over documents.

    `log_nobody` is the sum of log(1 - p), and `positives` the sum of p. The result is that of
    `value_of_none`.

    >>> from satc.measures import F1
    >>> p = np.array([0.2, 0.1])
    >>> round(value_of_none(p, F1), 9)
    0.72
    >>> round(value_of_none_from_sums(np.log1p(-p).sum(), p.sum(), 2, F1), 9)
    0.72
    """
    nobody, total = float(np.exp(log_nobody)), float(n_documents)
    if_some = min(positives / max(1.0 - nobody, 1e-12), total)
    return _mean_of_none(nobody, if_some, fn_cost, total, measure)


def value_of_none(probability: Array, measure: Measure, fn_cost: float = 1.0) -> float:
    """Return the expected measure of a class that no document gets."""
    return _value_of_none(Ordered(probability, fn=fn_cost), measure)


def _of_expected_cells(p: Array, decided: Labels, measure: Measure) -> float:
    tp, n, positives = float(p[decided].sum()), float(decided.sum()), float(p.sum())
    if not n:
        return _value_of_none(Ordered(p), measure)
    cells = (tp, n - tp, max(positives - tp, 0.0), max(len(p) - n - positives + tp, 0.0))
    return float(evaluate(measure, *cells))


def _expected_f_beta(p: Array, decided: Labels, measure: FBeta) -> float:
    """Return the expectation of F-beta, with independent labels."""
    k, squared = int(decided.sum()), measure.beta**2
    if not k:
        return _value_of_none(Ordered(p), measure)
    first = np.log(1e-6 / (1.0 + k + (1.0 + squared) * float(p.sum())))
    s = np.exp(np.arange(first, np.log(45.0 / min(1.0, squared)), _STEP))
    survives = np.exp(-squared * s)
    product, inner = _quadrature(np.ascontiguousarray(p), decided, 1.0 - survives)
    weights = product * np.exp(-(k + squared) * s) * _STEP * s
    return float((1.0 + squared) * (weights @ inner))


@njit(cache=True, error_model="numpy")
def _quadrature(p: Array, decided: Labels, lost: Array) -> tuple[Array, Array]:
    """Return the product of 1 - p lost, and the sum of p / (1 - p lost) over chosen documents."""
    product, inner = np.ones(len(lost)), np.zeros(len(lost))
    for i in range(len(p)):
        for t in range(len(lost)):
            product[t] *= 1.0 - p[i] * lost[t]
        if decided[i]:
            for t in range(len(lost)):
                inner[t] += p[i] / max(1.0 - p[i] * lost[t], 1e-300)  # where it is 0, so is product
    return product, inner
