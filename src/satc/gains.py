"""Validation gains: how much the measure rises when one error is corrected (Section 4.2).

The *average* gain is the rise from correcting all errors of a kind, divided by their number
(Equations 4 and 5). The *pointwise* gain is the rise from correcting the next error (Equation 15).
Both follow from the measure alone. Where there is nothing to correct, that is where the cell is 0,
the gain is 0. Where the expected number of errors is below one, the next correction removes all of
it, and both gains are the same.
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.measures import Measure, evaluate


class Gains(NamedTuple):
    """Gains of correcting a false positive and a false negative, one value per class."""

    fp: NDArray[np.float64]
    fn: NDArray[np.float64]


def unit_gains(n_classes: int) -> Gains:
    """Return the gains of the baseline: 1 for every error (Section 6.5)."""
    return Gains(np.ones(n_classes), np.ones(n_classes))


def average_gains(measure: Measure, tables: ContingencyTables) -> Gains:
    """Return the rise from correcting all FP (or all FN) / their number (Equations 4 and 5).

    >>> from satc.measures import F1
    >>> table = ContingencyTables(*np.array([[10.0], [30.0], [20.0], [40.0]]))
    >>> average_gains(F1, table).fn.round(4)
    array([0.019])
    """
    tp, fp, fn, tn = tables
    zero = np.zeros_like(tp)
    now = evaluate(measure, tp, fp, fn, tn)
    without_fp = evaluate(measure, tp, zero, fn, tn + fp)
    without_fn = evaluate(measure, tp + fn, fp, zero, tn)
    return Gains(_per_error(without_fp - now, fp), _per_error(without_fn - now, fn))


def pointwise_gains(measure: Measure, tables: ContingencyTables) -> Gains:
    """Return the rise from correcting the next FP (or FN) (Equation 15).

    >>> from satc.measures import F1
    >>> table = ContingencyTables(*np.array([[10.0], [30.0], [20.0], [40.0]]))
    >>> pointwise_gains(F1, table).fn.round(4)
    array([0.0241])
    """
    tp, fp, fn, tn = tables
    one_fp, one_fn = np.clip(fp, 0.0, 1.0), np.clip(fn, 0.0, 1.0)
    now = evaluate(measure, tp, fp, fn, tn)
    one_fp_less = evaluate(measure, tp, fp - one_fp, fn, tn + one_fp)
    one_fn_less = evaluate(measure, tp + one_fn, fp, fn - one_fn, tn)
    return Gains(_per_error(one_fp_less - now, one_fp), _per_error(one_fn_less - now, one_fn))


def pointwise_gains_one(
    measure: Measure, tp: float, fp: float, fn: float, tn: float
) -> tuple[float, float]:
    """Return the pointwise gains (of an FP, of an FN) of a single table (Equation 15)."""
    now = measure(tp, fp, fn, tn)
    gain_fp = gain_fn = 0.0
    if fp > 0:
        one = min(fp, 1.0)
        gain_fp = (measure(tp, fp - one, fn, tn + one) - now) / one
    if fn > 0:
        one = min(fn, 1.0)
        gain_fn = (measure(tp + one, fp, fn - one, tn) - now) / one
    if not isfinite(now + gain_fp + gain_fn):  # raise the error that names the table
        pointwise_gains(measure, ContingencyTables(*np.array([[tp], [fp], [fn], [tn]])))
    return float(gain_fp), float(gain_fn)


def _per_error(rise: NDArray[np.float64], errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rise / errors, or 0 where there are no errors."""
    some = errors > 0
    return np.where(some, rise / np.where(some, errors, 1.0), 0.0)
