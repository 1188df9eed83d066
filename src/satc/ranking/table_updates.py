"""Contingency tables while validation goes on, and the gains that follow from them.

The paper's own (`UpdatedTables`, Section 7): each correction moves one document from FP or FN to
where it belongs, and a table that falls below 1 is smoothed again. With probabilities that know
their context (`ReestimatedTables`), every validated document replaces what was expected of it by
what is known, and the errors found so far, against those expected, say for each class
whether errors are more or less frequent than was thought. Documents validated first are no fair
sample of the rest, so that a class learns the less, the more errors are still expected of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from satc.calibration.expected import raised
from satc.contingency import ContingencyTables
from satc.gains import Gains, average_gains, pointwise_gains_one
from satc.measures import Measure
from satc.smoothing import smooth_one

Array = NDArray[np.float64]
Wrongs = Sequence[tuple[int, bool]]  # (class, whether it was decided positive)
GainChanges = list[tuple[int, float, float]]  # (column, gain of an FP, gain of an FN)

# As many errors, expected and found alike, stand behind each class before any is found, and in
# addition this share of all errors that are expected of it.
PRIOR_ERRORS = 0.5
PRIOR_SHARE = 0.3
# Gains that moved less than this share of themselves are left as they are.
NOTICED = 0.01


class Tables(Protocol):
    """What the dynamic ranking asks of the tables."""

    learns_from_correct: bool  # whether a document without errors changes anything

    def validate(self, i: int, wrong: Wrongs) -> GainChanges:
        """Learn that document i was validated and these decisions were wrong."""

    def state(self) -> object:
        """Return what `restore` needs to come back to this point."""

    def restore(self, state: object) -> GainChanges:
        """Come back to an earlier point."""


class UpdatedTables:
    """The tables of Section 7; micro-averaging has a single one, and two columns of gains."""

    learns_from_correct = False

    def __init__(
        self, tables: ContingencyTables, measure: Measure, *, smoothed: bool, micro: bool
    ) -> None:
        self._measure = measure
        self._smoothed = smoothed
        self._micro = micro
        self._cells = list(zip(*(cell.tolist() for cell in tables), strict=True))
        self._replaced: list[tuple[int, tuple[float, ...]]] = []

    def validate(self, i: int, wrong: Wrongs) -> GainChanges:
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
        """Put the replaced tables back, the last one first."""
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
    """Tables of what is known and what is expected of the rest."""

    learns_from_correct = True

    def __init__(
        self,
        tables: ContingencyTables,
        signed: Array,
        measure: Measure,
        gains: Gains,
        *,
        micro: bool,
    ) -> None:
        self._measure = measure
        self._signed = signed
        self._micro = micro
        cells = np.array(list(tables))
        self._prior = PRIOR_ERRORS + PRIOR_SHARE * cells[1:3]
        self._state = _State(cells, np.zeros_like(cells), np.array(gains))

    def validate(self, i: int, wrong: Wrongs) -> GainChanges:
        """Replace what was expected of document i; where it was wrong, look at the gains again."""
        cells, errors, gains = self._state
        fp, fn = np.maximum(self._signed[i], 0.0), np.maximum(-self._signed[i], 0.0)
        decided = self._signed[i] > 0
        is_wrong = np.zeros(len(decided), dtype=bool)
        is_wrong[[j for j, _ in wrong]] = True
        belongs = decided != is_wrong
        expected_tp = np.where(decided, 1.0 - fp, 0.0)
        change = np.array([belongs - expected_tp, -fp, -fn, fp + fn + expected_tp - belongs])
        found = np.array([is_wrong & decided, is_wrong & ~decided, fp, fn], dtype=np.float64)
        self._state = _State(np.maximum(cells + change, 0.0), errors + found, gains)
        return self._look_again() if wrong else []

    def state(self) -> _State:
        """Return the arrays as they are; they are never written to."""
        return self._state

    def restore(self, state: object) -> GainChanges:
        """Take earlier arrays back."""
        if not isinstance(state, _State):
            raise TypeError(f"state must come from state(), but is {state!r}")
        self._state = state
        fp, fn = state.gains.tolist()
        return list(zip(range(len(fp)), fp, fn, strict=True))

    def _look_again(self) -> GainChanges:
        cells, errors, gains = self._state
        rate = (errors[:2] + self._prior) / (errors[2:] + self._prior)
        remaining = ContingencyTables(cells[0], cells[1] * rate[0], cells[2] * rate[1], cells[3])
        if self._micro:
            remaining = remaining.pooled()
            rate = np.ones((2, 1))
        new = np.array(average_gains(self._measure, raised(remaining))) * rate
        new = np.broadcast_to(new, gains.shape)
        noticed = (np.abs(new - gains) > NOTICED * np.abs(gains)).any(axis=0)
        self._state = _State(cells, errors, np.where(noticed, new, gains))
        columns = np.flatnonzero(noticed)
        return [(int(c), float(new[0, c]), float(new[1, c])) for c in columns]
