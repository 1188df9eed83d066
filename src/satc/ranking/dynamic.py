"""The dynamic methods: each correction changes the ranking of what is left (Section 5).

After a correction the table of its class is updated (step 4b of the paper's algorithm) and
smoothed again if needed (4c), its pointwise gains are computed anew (4d), and the documents
left are in a new order. Micro-averaging is the same on one table and two columns: the sums of
P(fp) and of P(fn) over the classes of a document.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from satc.calibration.logistic import row_blocks
from satc.gains import pointwise_gains_one
from satc.inputs import Labels, Scores
from satc.measures import Measure
from satc.ranking import kernels
from satc.ranking.setting import Setting
from satc.smoothing import smooth_one

Indices = NDArray[np.int64]
Table = tuple[float, float, float, float]


@dataclass
class Correction:
    """What a correction replaced, so that it can be taken back: table -> its cells before."""

    before: dict[int, Table] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Wrong:
    """The wrong decisions, document by document, without a matrix of them."""

    has_error: NDArray[np.bool_]  # document -> whether any decision is wrong
    start: list[int]  # document -> where its wrong decisions start
    decisions: list[tuple[int, bool]]  # (class, whether it was decided positive)

    @classmethod
    def between(cls, scores: Scores, y_true: Labels) -> Wrong:
        """List the decisions that differ from the true labels."""
        parts = []
        for rows in row_blocks(*scores.shape):
            decided = scores[rows] >= 0
            document, label = np.divmod(np.flatnonzero(decided != y_true[rows]), scores.shape[1])
            parts.append((document + rows.start, label, decided[document, label]))
        document, label, positive = (np.concatenate(column) for column in zip(*parts, strict=True))
        count = np.bincount(document, minlength=len(scores))
        start = np.concatenate([[0], np.cumsum(count)])
        pairs = list(zip(label.tolist(), positive.tolist(), strict=True))
        return cls(count > 0, start.tolist(), pairs)

    def of(self, i: int) -> list[tuple[int, bool]]:
        """Return the wrong decisions on document i, in the order of the classes."""
        return self.decisions[self.start[i] : self.start[i + 1]]


class DynamicRanking:
    """Which document is best now, among those in the running, as corrections come in."""

    def __init__(self, setting: Setting) -> None:
        columns, gains = setting.columns, setting.column_gains
        if columns is None or setting.tables is None:
            raise ValueError(f"method {setting.method.name!r} is not dynamic")
        self._measure: Measure = setting.measure
        self._smoothed = setting.method.tables == "k-fold"
        self._tables: list[Table] = list(zip(*(c.tolist() for c in setting.tables), strict=True))
        self._micro = setting.average == "micro"
        self._gains = np.array(gains)
        self._n_changes = 0

        n = columns.shape[0]
        utility = columns.utilities(gains)
        documents = np.argsort(-utility, kind="stable")
        self._tiles = columns.tiles(documents)
        self._largest = kernels.largest_errors(self._tiles)
        self._rounding = kernels.ROUNDING * columns.shape[1] * float(self._largest.max())
        n_blocks = len(self._tiles)
        self._documents = documents
        self._position = np.empty(n, dtype=np.int64)
        self._position[documents] = np.arange(n)
        self._utility = np.full((n_blocks, kernels.BLOCK), -np.inf)
        self._utility.ravel()[:n] = utility[documents]
        self._bounds = self._utility.max(axis=1)
        self._known = np.repeat(self._gains[np.newaxis], n_blocks, axis=0)
        self._stamps = np.zeros((2, n_blocks), dtype=np.int64)
        self._near = np.zeros(n_blocks + 1, dtype=np.int64)
        self._slack = self._rounding * float(np.abs(self._gains).max())

    def best(self) -> int | None:
        """Return the document of the largest utility, the lowest index among equals."""
        position = kernels.pick(*self._state())
        return None if position < 0 else int(self._documents[position])

    def withdraw(self, i: int) -> None:
        """Take document i out of the running."""
        kernels.withdraw(self._utility, self._bounds, self._position[i])

    def put_back(self, i: int) -> None:
        """Put document i back into the running."""
        kernels.put_back(self._utility, self._bounds, self._stamps, self._position[i])

    def correct(self, wrong: Iterable[tuple[int, bool]]) -> Correction:
        """Update tables and gains: these classes were wrong in one document.

        Each is a pair: the class, and whether it was decided positive.
        """
        correction = Correction()
        for j, decided in wrong:
            table = 0 if self._micro else j
            tp, fp, fn, tn = self._tables[table]
            correction.before.setdefault(table, (tp, fp, fn, tn))
            cells = (tp, fp - 1, fn, tn + 1) if decided else (tp + 1, fp, fn - 1, tn)
            self._replace(table, smooth_one(*cells) if self._smoothed else cells)
        return correction

    def revert(self, correction: Correction) -> None:
        """Take a correction back; the last one first."""
        for table, cells in correction.before.items():
            self._replace(table, cells)

    def run(self, scores: Scores, y_true: Labels) -> Indices:
        """Validate all documents against their true labels; return the order."""
        wrong = Wrong.between(scores, y_true)
        order = np.empty(len(self._documents), dtype=np.int64)
        filled = 0
        while filled < len(order):
            filled = kernels.advance(*self._state(), wrong.has_error, order, filled)
            last = int(order[filled - 1])
            if wrong.has_error[last]:
                self.correct(wrong.of(last))
        return order

    def _state(self) -> tuple[object, ...]:
        """Arguments of `kernels.pick`."""
        return (
            self._documents,
            self._tiles,
            self._utility,
            self._bounds,
            self._gains,
            self._known,
            self._stamps,
            self._near,
            self._n_changes,
            self._slack,
        )

    def _replace(self, table: int, cells: Table) -> None:
        """Put new cells in place of a table, and let its gains follow."""
        self._tables[table] = cells
        fp, fn = pointwise_gains_one(self._measure, *cells)
        for column in (0, 1) if self._micro else (table,):
            kernels.change_gains(self._gains, self._bounds, self._largest, column, fp, fn)
        self._n_changes += 1
        self._slack = max(self._slack, self._rounding * max(abs(fp), abs(fn)))
