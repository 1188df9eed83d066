"""Contingency tables that are updated during validation, and the gains computed from them.

`UpdatedTables` follows the paper (Section 7): each correction moves one document from FP to TN or
from FN to TP, and a table with a cell below 1 is smoothed again.

`ReestimatedTables` is for the contextual methods. Each validated document replaces its expected
cells by its true ones. The ratio of errors found to errors expected corrects the error rate of each
class. The documents validated first are not a random sample of the rest, so the correction is
weaker for a class of which more errors are expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from satc.calibration.expected import RAISED_BY, raised
from satc.contingency import ContingencyTables
from satc.gains import Gains, average_gains, pointwise_gains_one
from satc.measures import Measure
from satc.ranking.misclassification import positive_decisions
from satc.smoothing import smooth_one

Array = NDArray[np.float64]
WrongDecisions = Sequence[tuple[int, bool]]  # (class, whether it was decided positive)
GainChanges = list[tuple[int, float, float]]  # (column, gain of an FP, gain of an FN)

# Prior of the ratio found / expected, added to both: this many errors for each class, plus this
# share of the errors that are expected of the class.
PRIOR_ERRORS = 0.5
PRIOR_SHARE = 0.3
# Gains that change by less than this share are not updated.
MIN_GAIN_CHANGE = 0.01


class LiveTables(Protocol):
    """Interface of the tables that the dynamic ranking updates."""

    learns_from_correct: bool  # whether a document without errors changes the tables

    def validate(self, i: int, wrong: WrongDecisions) -> GainChanges:
        """Record that document i was validated and that these decisions were wrong."""

    def state(self) -> object:
        """Return the current state, for `restore`."""

    def restore(self, state: object) -> GainChanges:
        """Go back to an earlier state."""


class UpdatedTables:
    """The tables of Section 7; micro-averaging has one table and two columns of gains."""

    learns_from_correct = False

    def __init__(
        self, tables: ContingencyTables, measure: Measure, *, smoothed: bool, micro: bool
    ) -> None:
        self._measure = measure
        self._smoothed = smoothed
        self._micro = micro
        self._cells = list(zip(*(cell.tolist() for cell in tables), strict=True))
        self._replaced: list[tuple[int, tuple[float, ...]]] = []

    def validate(self, i: int, wrong: WrongDecisions) -> GainChanges:
        """Step 4 of the paper's algorithm: update, smooth, recompute the gains."""
        changes: GainChanges = []
        for j, decided in wrong:
            table = 0 if self._micro else j
            tp, fp, fn, tn = self._cells[table]
            self._replaced.append((table, self._cells[table]))
            cells = (tp, fp - 1, fn, tn + 1) if decided else (tp + 1, fp, fn - 1, tn)
            changes += self._replace(table, smooth_one(*cells) if self._smoothed else cells)
        return changes

    def state(self) -> int:
        """Return how many tables have been replaced so far."""
        return len(self._replaced)

    def restore(self, state: object) -> GainChanges:
        """Restore the replaced tables, the last one first."""
        changes: GainChanges = []
        while len(self._replaced) != state:
            changes += self._replace(*self._replaced.pop())
        return changes

    def _replace(self, table: int, cells: tuple[float, ...]) -> GainChanges:
        tp, fp, fn, tn = self._cells[table] = cells
        gains = pointwise_gains_one(self._measure, tp, fp, fn, tn)
        return [(column, *gains) for column in ((0, 1) if self._micro else (table,))]


class _State(NamedTuple):
    cells: Array  # 4 x classes
    errors: Array  # found FP, FN and expected FP, FN among the validated, x classes
    gains: Array  # 2 x columns


class ReestimatedTables:
    """Tables with the true cells of validated documents and the expected cells of the others."""

    learns_from_correct = True

    def __init__(
        self,
        tables: ContingencyTables,
        signed: Array,
        measure: Measure,
        gains: Gains,
        *,
        micro: bool,
        raised_by: float = RAISED_BY,
    ) -> None:
        self._measure = measure
        self._signed = signed
        self._raised_by = raised_by
        self._micro = micro
        cells = np.array(list(tables))
        self._prior = PRIOR_ERRORS + PRIOR_SHARE * cells[1:3]
        self._state = _State(cells, np.zeros_like(cells), np.array(gains))

    def validate(self, i: int, wrong: WrongDecisions) -> GainChanges:
        """Replace the expected cells of document i; update the gains if a decision was wrong."""
        cells, errors, gains = self._state
        fp, fn = np.maximum(self._signed[i], 0.0), np.maximum(-self._signed[i], 0.0)
        decided = positive_decisions(self._signed[i])
        is_wrong = np.zeros(len(decided), dtype=bool)
        is_wrong[[j for j, _ in wrong]] = True
        belongs = decided != is_wrong
        expected_tp = np.where(decided, 1.0 - fp, 0.0)
        change = np.array([belongs - expected_tp, -fp, -fn, fp + fn + expected_tp - belongs])
        found = np.array([is_wrong & decided, is_wrong & ~decided, fp, fn], dtype=np.float64)
        self._state = _State(np.maximum(cells + change, 0.0), errors + found, gains)
        return self._update_gains() if wrong else []

    def state(self) -> _State:
        """Return the current arrays; they are never modified."""
        return self._state

    def restore(self, state: object) -> GainChanges:
        """Go back to earlier arrays."""
        if not isinstance(state, _State):
            raise TypeError(f"state must come from state(), but is {state!r}")
        self._state = state
        fp, fn = state.gains.tolist()
        return list(zip(range(len(fp)), fp, fn, strict=True))

    def _update_gains(self) -> GainChanges:
        cells, errors, gains = self._state
        rate = (errors[:2] + self._prior) / (errors[2:] + self._prior)
        remaining = ContingencyTables(cells[0], cells[1] * rate[0], cells[2] * rate[1], cells[3])
        if self._micro:
            remaining = remaining.pooled()
            rate = np.ones((2, 1))
        new = np.array(average_gains(self._measure, raised(remaining, self._raised_by))) * rate
        new = np.broadcast_to(new, gains.shape)
        changed = (np.abs(new - gains) > MIN_GAIN_CHANGE * np.abs(gains)).any(axis=0)
        self._state = _State(cells, errors, np.where(changed, new, gains))
        columns = np.flatnonzero(changed)
        return [(int(c), float(new[0, c]), float(new[1, c])) for c in columns]
