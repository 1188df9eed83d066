"""The compiled loops that apply a sequence of corrections to contingency tables.

Every correction depends on the result of the one before, so the loops apply them one by one, in
order. A validation that adds one correction and a replay of many use the same loops: the results
are the same, bit for bit.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@njit(cache=True)
def correct_table(
    cells: tuple[float, float, float, float], positive: Indices, smoothed: bool
) -> tuple[float, float, float, float]:
    """Correct one table (tp, fp, fn, tn) several times: step 4 of the algorithm in Section 7.

    `positive` says of each corrected decision whether it was positive (an FP). With `smoothed`, a
    table with a cell below 1 is smoothed after each correction, as `satc.smoothing.smooth` does.
    """
    tp, fp, fn, tn = cells
    for k in range(len(positive)):
        if positive[k]:
            fp -= 1.0
            tn += 1.0
        else:
            tp += 1.0
            fn -= 1.0
        added = float(math.ceil(1.0 - min(tp, fp, fn))) if smoothed else 0.0
        if added > 0.0:
            tp += added
            fp += added
            fn += added
            tn = max(tn - 3.0 * added, 0.0)
    return tp, fp, fn, tn


@njit(cache=True)
def replace_expected(
    signed: Array,
    documents: Indices,
    ends: Indices,
    classes: Indices,
    cells: Array,
    errors: Array,
    prior: Array,
    tables: Array,
    rates: Array,
) -> None:
    """Replace the expected cells of validated documents by the true ones, in place.

    The wrong decisions of the k-th document are ``classes[ends[k - 1] : ends[k]]``. After each
    document with a wrong decision, its turn of `rates` (turns x 2 x classes) gets the ratios of
    errors found to errors expected, and its turn of `tables` (turns x 4 x classes) gets the cells,
    with FP and FN multiplied by their ratio. If `tables` has one column instead, it gets the sums
    over the classes.
    """
    before = np.empty((2, cells.shape[1]))
    start = turn = 0
    for k in range(len(documents)):
        row, wrong = signed[documents[k]], classes[start : ends[k]]
        start = ends[k]
        for j in wrong:
            before[0, j], before[1, j] = cells[0, j], cells[3, j]
        _replace_right(row, cells[0], cells[1], cells[2], cells[3])
        _add_expected(row, errors[2], errors[3])
        for j in wrong:
            _replace_wrong(row[j], j, before, cells, errors)
        if len(wrong):
            _take_turn(cells, errors, prior, tables[turn], rates[turn])
            turn += 1


@njit(cache=True)
def _replace_right(signed: Array, tp: Array, fp: Array, fn: Array, tn: Array) -> None:
    """Replace the expected cells of a document whose decisions are all right.

    Several short loops, each over few arrays, because the compiler makes vector instructions of
    them.
    """
    for j in range(len(signed)):
        p = signed[j]
        decided = math.copysign(1.0, p) > 0.0
        belongs = 1.0 if decided else 0.0
        expected_tp = 1.0 - p if decided else 0.0
        tp[j] = max(tp[j] + (belongs - expected_tp), 0.0)
        tn[j] = max(tn[j] + (abs(p) + expected_tp - belongs), 0.0)
    for j in range(len(signed)):
        fp[j] = max(fp[j] - max(signed[j], 0.0), 0.0)
        fn[j] = max(fn[j] - max(-signed[j], 0.0), 0.0)


@njit(cache=True)
def _add_expected(signed: Array, expected_fp: Array, expected_fn: Array) -> None:
    for j in range(len(signed)):
        expected_fp[j] += max(signed[j], 0.0)
        expected_fn[j] += max(-signed[j], 0.0)


@njit(cache=True)
def _replace_wrong(signed: float, j: int, before: Array, cells: Array, errors: Array) -> None:
    """Replace the expected TP and TN of a wrong decision, from the cells before the document."""
    decided = math.copysign(1.0, signed) > 0.0
    belongs = 0.0 if decided else 1.0
    expected_tp = 1.0 - signed if decided else 0.0
    cells[0, j] = max(before[0, j] + (belongs - expected_tp), 0.0)
    cells[3, j] = max(before[1, j] + (abs(signed) + expected_tp - belongs), 0.0)
    errors[0 if decided else 1, j] += 1.0


@njit(cache=True, error_model="numpy")
def _take_turn(cells: Array, errors: Array, prior: Array, table: Array, rate: Array) -> None:
    """Write the corrected cells, or their sums over the classes, and the ratios."""
    for kind in range(2):
        found, expected = errors[kind], errors[2 + kind]
        for j in range(cells.shape[1]):
            rate[kind, j] = (found[j] + prior[kind, j]) / (expected[j] + prior[kind, j])
    if table.shape[1] == cells.shape[1]:
        for j in range(cells.shape[1]):
            table[0, j], table[3, j] = cells[0, j], cells[3, j]
            table[1, j], table[2, j] = cells[1, j] * rate[0, j], cells[2, j] * rate[1, j]
        return
    table[:] = 0.0
    for j in range(cells.shape[1]):
        table[0, 0] += cells[0, j]
        table[1, 0] += cells[1, j] * rate[0, j]
        table[2, 0] += cells[2, j] * rate[1, j]
        table[3, 0] += cells[3, j]


@njit(cache=True)
def follow_gains(new: Array, gains: Array, least_change: float) -> None:
    """Follow the gains of all turns (turns x 2 x columns), in place.

    The gains of a column change only where one of them changes by more than this share.
    """
    for turn in range(len(new)):
        for c in range(new.shape[2]):
            of_fp = abs(new[turn, 0, c] - gains[0, c]) > least_change * abs(gains[0, c])
            of_fn = abs(new[turn, 1, c] - gains[1, c]) > least_change * abs(gains[1, c])
            if of_fp or of_fn:
                gains[0, c], gains[1, c] = new[turn, 0, c], new[turn, 1, c]


@njit(cache=True, error_model="numpy")
def average_gains_of_f(tables: Array, squared: float, gains: Array) -> None:
    """Compute the average gains of F-beta, as `satc.gains.average_gains` does, but faster.

    `tables` is turns x 4 x columns, and `squared` is beta squared. Writes `gains`, turns x 2 x
    columns.
    """
    for turn in range(len(tables)):
        for c in range(tables.shape[2]):
            tp, fp, fn = tables[turn, 0, c], tables[turn, 1, c], tables[turn, 2, c]
            hits, all_hits = (1.0 + squared) * tp, (1.0 + squared) * (tp + fn)
            now = _f_beta(hits, hits + fp + squared * fn)
            of_fp = _f_beta(hits, hits + squared * fn) - now
            of_fn = _f_beta(all_hits, all_hits + fp) - now
            gains[turn, 0, c] = of_fp / fp if fp > 0.0 else 0.0
            gains[turn, 1, c] = of_fn / fn if fn > 0.0 else 0.0


@njit(cache=True)
def pointwise_gains_of_f(
    cells: tuple[float, float, float, float], squared: float
) -> tuple[float, float]:
    """Compute the pointwise gains of F-beta, as `satc.gains.pointwise_gains_one` does, but faster.

    `squared` is beta squared.
    """
    tp, fp, fn, _ = cells
    now = _f_beta_of(tp, fp, fn, squared)
    gain_fp = gain_fn = 0.0
    if fp > 0.0:
        one = min(fp, 1.0)
        gain_fp = (_f_beta_of(tp, fp - one, fn, squared) - now) / one
    if fn > 0.0:
        one = min(fn, 1.0)
        gain_fn = (_f_beta_of(tp + one, fp, fn - one, squared) - now) / one
    return gain_fp, gain_fn


@njit(cache=True)
def _f_beta_of(tp: float, fp: float, fn: float, squared: float) -> float:
    hits = (1.0 + squared) * tp
    return _f_beta(hits, hits + fp + squared * fn)


@njit(cache=True, error_model="numpy")
def _f_beta(hits: float, total: float) -> float:
    return hits / total if total != 0.0 else 1.0
