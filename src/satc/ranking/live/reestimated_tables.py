"""The tables of the contextual methods: true cells of validated documents, expected ones of others.

Each validated document replaces its expected cells by its true ones. The ratio of errors found to
errors expected corrects the error rate of each class. The documents validated first are not a
random sample of the rest, so the correction is weaker for a class of which more errors are
expected. Every document changes the tables of all classes. When one is removed, the later ones are
applied again, from the last checkpoint before it, by a compiled loop over numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.expected import RAISED_BY
from satc.contingency import ContingencyTables
from satc.gains import Gains, average_gains
from satc.measures import FBeta, Measure
from satc.ranking.live.steps import StepList, Steps
from satc.ranking.live.table_kernels import average_gains_of_f, follow_gains, replace_expected
from satc.ranking.live.table_updates import GainChanges, ValidatedDocument

Array = NDArray[np.float64]

# Prior of the ratio found / expected, added to both: this many errors for each class, plus this
# share of the errors that are expected of the class.
PRIOR_ERRORS = 0.5
PRIOR_SHARE = 0.3
# Gains that change by less than this share are not updated.
MIN_GAIN_CHANGE = 0.01
# The state is kept after every so many documents, and after each of the last few.
CHECKPOINT = 1024
RECENT = 16


class State(NamedTuple):
    """What the validated documents have led to; the arrays are never modified."""

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
        self.state = State(cells, np.zeros_like(cells), np.array(gains))
        self._kept = {0: self.state}  # states by the number of documents that they follow
        self._steps = StepList()

    def for_whole_validation(self) -> None:
        """Return None: every document changes these tables, not only corrections."""

    def replace(self, removed: Collection[int], added: Sequence[ValidatedDocument]) -> GainChanges:
        """Remove decisions and add others: apply what follows the first removed one again."""
        start, state, steps = len(self._steps), self.state, Steps.of(added)
        place = self._steps.first_of(removed) if removed else None
        if place is not None:
            start = max(n for n in self._kept if n <= place)
            state = self._kept[start]
            steps = self._steps.since(start).without(removed).followed_by(steps)
        reached = dict(self._advance(state, steps, start))
        self._steps.replace(start, steps)
        self._keep(start, reached)
        return self._become(self._kept[len(self._steps)])

    def _keep(self, start: int, reached: dict[int, State]) -> None:
        """Replace the kept states after `start` by others; forget those that are not needed."""
        n_steps = len(self._steps)
        kept = {n: state for n, state in self._kept.items() if n <= start} | reached
        if len(kept) > 2 * RECENT + n_steps // CHECKPOINT:
            kept = {n: s for n, s in kept.items() if n % CHECKPOINT == 0 or n > n_steps - RECENT}
        self._kept = kept

    def _become(self, state: State) -> GainChanges:
        """Go to another state; return the gains that are different there."""
        columns = np.flatnonzero((state.gains != self.state.gains).any(axis=0))
        self.state = state
        fp, fn = state.gains[:, columns].tolist()
        return list(zip(columns.tolist(), fp, fn, strict=True))

    def _advance(self, state: State, steps: Steps, start: int) -> Iterator[tuple[int, State]]:
        """Apply steps; yield the state at every checkpoint and at the end, with its place."""
        for part in steps.parts(CHECKPOINT - start % CHECKPOINT, CHECKPOINT):
            start += len(part.documents)
            state = self._applied(state, part)
            yield start, state

    def _applied(self, state: State, steps: Steps) -> State:
        cells, errors, gains = (array.copy() for array in state)
        n_turns, m = np.count_nonzero(steps.counts), cells.shape[1]
        tables = np.empty((n_turns, 4, 1 if self._micro else m))
        rates = np.empty((n_turns, 2, m))
        replace_expected(
            self._signed,
            steps.documents,
            np.cumsum(steps.counts),
            steps.classes,
            cells,
            errors,
            self._prior,
            tables,
            rates,
        )
        if n_turns:
            follow_gains(self._gains(tables, rates, gains.shape[1]), gains, MIN_GAIN_CHANGE)
        return State(cells, errors, gains)

    def _gains(self, tables: Array, rates: Array, n_columns: int) -> Array:
        """Return the gains after every turn, turns x 2 x columns."""
        tables[:, 1:3] += self._raised_by
        new = average_gains_of_turns(self._measure, tables)
        return np.repeat(new, n_columns, axis=2) if self._micro else new * rates


def average_gains_of_turns(measure: Measure, tables: Array) -> Array:
    """Return the average gains (turns x 2 x columns) of tables (turns x 4 x columns)."""
    if not isinstance(measure, FBeta):
        cells = ContingencyTables(*(tables[:, k] for k in range(4)))
        return np.stack(average_gains(measure, cells), axis=1)
    gains = np.empty((len(tables), 2, tables.shape[2]))
    average_gains_of_f(tables, measure.beta * measure.beta, gains)
    return gains
