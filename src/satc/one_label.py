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

from collections.abc import Callable
from typing import Any, NamedTuple

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


class RuleOutcome(NamedTuple):
    """The labels that a rule gives: their expected cells, and the value of the measure."""

    cells: ContingencyTables  # FP and FN count by their costs
    value: float
    labels: Any  # the labels, or numbers that are equal if the labels are


def choose_one(
    probability: Array,
    measure: Measure,
    average: str = "macro",
    costs: Costs | None = None,
    possible: Labels | None = None,
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
    possible : bool array of shape (n_documents, n_classes), optional
        The labels that a document can get; all of them by default.

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
    weights = costs or unit_costs(probability.shape[1])

    def outcome(rule: OneLabelRule) -> RuleOutcome:
        labels = rule.labels(probability, possible)
        cells = _cells(probability, labels, weights)
        value = _value(probability, labels, cells, measure, average, weights)
        return RuleOutcome(cells, value, labels)

    rule, found = improve_rule(outcome, measure, average, weights)
    expected = expected_value_of_one(probability, found.labels, measure, average)
    return Decided(found.labels, expected=expected, rule=rule)


def improve_rule(
    outcome: Callable[[OneLabelRule], RuleOutcome],
    measure: Measure,
    average: str,
    costs: Costs,
    rounds: int = _ROUNDS,
) -> tuple[OneLabelRule, RuleOutcome]:
    """Find the best rule in rounds; the caller computes the outcome of a rule.

    The first rule gives the most probable class. Each round moves the rule towards the slopes and
    offsets that follow from the last cells. It is not certain that this raises the value, so the
    best rule is returned. Micro-averages need no round.
    """
    m = len(costs.classes)
    rule = best = OneLabelRule(np.ones(m), np.zeros(m))
    found = highest = outcome(rule)
    for k in range(rounds if average == "macro" else 0):
        step = 1.0 / (1.0 + 0.3 * k)
        slope, offset = _slopes(found.cells, measure, costs)
        rule = OneLabelRule(
            rule.slope + step * (slope - rule.slope), rule.offset + step * (offset - rule.offset)
        )
        before, found = found, outcome(rule)
        if found.value > highest.value:
            best, highest = rule, found
        if np.array_equal(before.labels, found.labels):
            break
    return best, highest


def unit_costs(n_classes: int) -> Costs:
    """Return weights and costs of 1."""
    return Costs(*(np.ones(n_classes) for _ in range(3)))


def expected_value_of_one(
    probability: Array, labels: Labels, measure: Measure, average: str = "macro"
) -> float:
    """Return the measure of the expected cells; of a class without labels, its expected value."""
    costs = unit_costs(probability.shape[1])
    cells = _cells(probability, labels, costs)
    return _value(probability, labels, cells, measure, average, costs)


def _cells(probability: Array, labels: Labels, costs: Costs) -> ContingencyTables:
    """Return the expected cells; FP and FN count by their costs."""
    tp = np.einsum("ij,ij->j", probability, labels)
    n, positives = labels.sum(axis=0).astype(np.float64), probability.sum(axis=0)
    return cells_of_sums(tp, n, positives, len(probability), costs)


def cells_of_sums(
    tp: Array, n: Array, positives: Array, n_documents: int, costs: Costs
) -> ContingencyTables:
    """Return the expected cells from sums per class: P of the labels, their number, and all P."""
    fp, fn = np.maximum(n - tp, 0.0), np.maximum(positives - tp, 0.0)
    tn = np.maximum(n_documents - tp - fp - fn, 0.0)
    return ContingencyTables(tp, costs.fp * fp, costs.fn * fn, tn)


def _value(
    probability: Array,
    labels: Labels,
    cells: ContingencyTables,
    measure: Measure,
    average: str,
    costs: Costs,
) -> float:
    def value_of_empty(j: int) -> float:
        return value_of_none(probability[:, j], measure, costs.fn[j])

    empty = np.asarray(~labels.any(axis=0))
    return value_of_cells(cells, empty, value_of_empty, measure, average, costs)


def value_of_cells(
    cells: ContingencyTables,
    empty: NDArray[np.bool_],
    value_of_empty: Callable[[int], float],
    measure: Measure,
    average: str,
    costs: Costs,
) -> float:
    """Return the measure of cells; `value_of_empty` is asked for classes that no document gets."""
    if average == "micro":
        weighted = ContingencyTables(*(costs.classes * cell for cell in cells))
        return float(macro_or_micro(measure, weighted, "micro"))
    values = np.array(evaluate(measure, *cells), dtype=np.float64)
    for j in np.flatnonzero(empty):
        values[j] = value_of_empty(int(j))
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
