"""The tables and gains of a live validation, written plainly: one decision after another."""

from __future__ import annotations

import numpy as np

from satc.contingency import ContingencyTables
from satc.gains import average_gains, pointwise_gains
from satc.smoothing import smooth


def plain_gains(documents, decisions):
    """Return the gains after decisions, in order: 2 x classes."""
    model = documents.model
    if not model.method.is_dynamic:
        gains = np.array(model.gains)
    elif model.method.tables == "expected":
        gains = _reestimated(documents, decisions)
    else:
        gains = _updated(documents, decisions)
    return np.broadcast_to(gains, (2, model.n_classes))


def _updated(documents, decisions):
    """Section 7: one table after another, smoothed after each correction."""
    model, micro = documents.model, documents.model.average == "micro"
    tables = np.array(list(model.tables))  # 4 x tables
    for i, labels in decisions:
        for j in np.flatnonzero(labels != documents.decided[i]):
            t = 0 if micro else j
            from_cell, to_cell = (1, 3) if documents.decided[i, j] else (2, 0)
            tables[from_cell, t] -= 1
            tables[to_cell, t] += 1
            if model.method.tables == "k-fold":
                tables[:, [t]] = list(smooth(ContingencyTables(*tables[:, [t]])))
    return np.array(pointwise_gains(model.measure, ContingencyTables(*tables)))


def _reestimated(documents, decisions):
    """Replace the expected cells of one document after another; follow changes above 1%."""
    model, signed = documents.model, documents.misclassification.signed
    micro = model.average == "micro"
    cells = np.array(list(model.class_tables))
    prior = 0.5 + 0.3 * cells[1:3]
    found, expected, gains = np.zeros_like(prior), np.zeros_like(prior), np.array(model.gains)
    for i, labels in decisions:
        decided, wrong = documents.decided[i], labels != documents.decided[i]
        fp, fn = np.maximum(signed[i], 0.0), np.maximum(-signed[i], 0.0)
        tp = np.where(decided, 1.0 - fp, 0.0)
        cells = cells + np.array([labels - tp, -fp, -fn, fp + fn + tp - labels])
        cells = np.maximum(cells, 0.0)
        found = found + np.array([wrong & decided, wrong & ~decided])
        expected = expected + np.array([fp, fn])
        if wrong.any():
            rate = (found + prior) / (expected + prior)
            left = [cells[0], cells[1] * rate[0], cells[2] * rate[1], cells[3]]
            if micro:
                left, rate = [np.array([_sum(cell)]) for cell in left], 1.0
            left[1], left[2] = left[1] + model.raised_by, left[2] + model.raised_by
            new = np.array(average_gains(model.measure, ContingencyTables(*left))) * rate
            changed = (np.abs(new - gains) > 0.01 * np.abs(gains)).any(axis=0)
            gains = np.where(changed, new, gains)
    return gains


def _sum(values):
    """Add from the first to the last."""
    total = 0.0
    for value in values.tolist():
        total += value
    return total
