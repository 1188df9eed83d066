"""Decisions where every document has exactly one label.

The classifier's own label is the class with the largest score. Labels *chosen for a measure*
maximise the measure of the expected cells, under the condition that each document gets one label.
If a document gets class j with probability p, the cells of the class change by TP + p, FP + 1 - p,
FN - p and TN - 1 + p. Near the optimum the measure of the class changes linearly with that, by
``slope * p + offset``, and the best label of a document is the class for which this is largest.
Slope and offset depend on the cells, and these on the labels; a few rounds of both find labels that
no round makes better. For accuracy, and for micro-averages, all slopes are equal and all offsets 0:
the label is the most probable class. Macro-F1 chooses rare classes more often than that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.decisions import Costs, Decided, OneLabelRule, value_of_none
from satc.inputs import Labels, check_average
from satc.measures import Measure, evaluate, macro_or_micro

Array = NDArray[np.float64]
Classes = NDArray[np.intp]

_ROUNDS = 50
_STEP = 0.5  # of the differences that approximate derivatives, in documents


def choose_one(
    probability: Array, measure: Measure, average: str = "macro", costs: Costs | None = None
) -> Decided:
    """Choose one label for each document, so that the expected measure is largest.

    Parameters
    ----------
    probability : array of shape (n_documents, n_classes)
        P(document belongs to class); each row sums to 1.
    measure : callable of (tp, fp, fn, tn)
    average : {"macro", "micro"}
    costs : Costs, optional
        Errors count by their costs.

    Examples
    --------
    >>> from satc.measures import parse
    >>> P = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4], [0.55, 0.45]])
    >>> choose_one(P, parse("accuracy")).labels[:, 1].tolist()
    [False, False, False, False, False]
    >>> choose_one(P, parse("f1")).labels[:, 1].tolist()
    [False, False, False, True, True]
    """
    check_average(average)
    m = probability.shape[1]
    weights = costs or Costs(np.ones(m), np.ones(m), np.ones(m))
    rule = best = OneLabelRule(np.ones(m), np.zeros(m))
    labels = chosen = rule.labels(probability)
    value = highest = _value(probability, labels, measure, average, weights)
    for k in range(_ROUNDS if average == "macro" else 0):
        step = 1.0 / (1.0 + 0.3 * k)
        slope, offset = _slopes(_cells(probability, labels, weights), measure, weights)
        rule = OneLabelRule(
            rule.slope + step * (slope - rule.slope), rule.offset + step * (offset - rule.offset)
        )
        before, labels = labels, rule.labels(probability)
        value = _value(probability, labels, measure, average, weights)
        if value > highest:
            best, chosen, highest = rule, labels, value
        if np.array_equal(before, labels):
            break
    return Decided(
        chosen, expected=expected_value_of_one(probability, chosen, measure, average), rule=best
    )


def expected_value_of_one(
    probability: Array, labels: Labels, measure: Measure, average: str = "macro"
) -> float:
    """Return the measure of the expected cells; of a class without labels, its expected value."""
    m = probability.shape[1]
    return _value(probability, labels, measure, average, Costs(np.ones(m), np.ones(m), np.ones(m)))


def _cells(probability: Array, labels: Labels, costs: Costs) -> ContingencyTables:
    """Return the expected cells; FP and FN count by their costs."""
    tp = np.einsum("ij,ij->j", probability, labels)
    n, positives = labels.sum(axis=0).astype(np.float64), probability.sum(axis=0)
    fp, fn = np.maximum(n - tp, 0.0), np.maximum(positives - tp, 0.0)
    tn = np.maximum(len(probability) - tp - fp - fn, 0.0)
    return ContingencyTables(tp, costs.fp * fp, costs.fn * fn, tn)


def _value(
    probability: Array, labels: Labels, measure: Measure, average: str, costs: Costs
) -> float:
    cells = _cells(probability, labels, costs)
    if average == "micro":
        weighted = ContingencyTables(*(costs.classes * cell for cell in cells))
        return float(macro_or_micro(measure, weighted, "micro"))
    values = np.array(evaluate(measure, *cells), dtype=np.float64)
    for j in np.flatnonzero(~labels.any(axis=0)):
        values[j] = value_of_none(probability[:, j], measure, costs.fn[j])
    return float(np.average(values, weights=costs.classes))


def _slopes(cells: ContingencyTables, measure: Measure, costs: Costs) -> tuple[Array, Array]:
    """Return how the measure of each class changes with one more document: slope and offset."""
    tp, fp, fn, tn = cells
    less_fn, less_tn = np.minimum(_STEP * costs.fn, fn), np.minimum(_STEP, tn)
    now = np.asarray(evaluate(measure, tp, fp, fn, tn))
    if_right = evaluate(measure, tp + _STEP, fp, fn - less_fn, tn)
    if_wrong = evaluate(measure, tp, fp + _STEP * costs.fp, fn, tn - less_tn)
    right, wrong = ((np.asarray(value) - now) / _STEP for value in (if_right, if_wrong))
    return costs.classes * (right - wrong), costs.classes * wrong
