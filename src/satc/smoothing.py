"""Smoothing of tables with an estimated cell below 1 (Section 4.3).

Where any of TP, FP, FN is below 1, Laplace smoothing adds the same integer to all three, the
smallest one that makes all of them 1 or more. Other tables do not change, so that repeated
smoothing in the dynamic method does not bias the estimates more and more. The added numbers are
subtracted from TN, as far as TN allows, so that a table still describes |Te| documents. With
accuracy as the measure, all gains then stay 1/|Te|, and the ranking is that of the baseline, as the
conclusion of the paper says.
"""

from __future__ import annotations

import math

import numpy as np

from satc.contingency import ContingencyTables


def smooth(tables: ContingencyTables) -> ContingencyTables:
    """Smooth the tables that have a cell below 1.

    >>> cells = np.array([[0.3, 9.0], [2.0, 1.0], [4.0, 3.0], [90.0, 80.0]])
    >>> smooth(ContingencyTables(*cells)).tp
    array([1.3, 9. ])
    """
    smallest = np.minimum(np.minimum(tables.tp, tables.fp), tables.fn)
    added = np.maximum(np.ceil(1 - smallest), 0)
    true_negatives = np.where(added > 0, np.maximum(tables.tn - 3 * added, 0.0), tables.tn)
    return ContingencyTables(
        tables.tp + added, tables.fp + added, tables.fn + added, true_negatives
    )


def smooth_one(tp: float, fp: float, fn: float, tn: float) -> tuple[float, float, float, float]:
    """Smooth a single table, as `smooth` does.

    >>> smooth_one(5.0, -0.5, 2.0, 90.0)
    (7.0, 1.5, 4.0, 84.0)
    """
    added = math.ceil(1 - min(tp, fp, fn))
    if added <= 0:
        return tp, fp, fn, tn
    return tp + added, fp + added, fn + added, max(tn - 3 * added, 0.0)
