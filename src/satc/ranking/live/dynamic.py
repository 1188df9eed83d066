"""The dynamic methods: each correction changes the ranking of the other documents (Section 7).

A decision changes the contingency tables (`table_updates`), the tables change the gains, and the
gains change the order of the documents that are not validated yet. Micro-averaging uses the same
algorithm with one table and two columns: the sums of P(fp) and of P(fn) over the classes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satc.calibration.logistic import row_blocks
from satc.gains import Gains
from satc.inputs import Labels
from satc.ranking import kernels
from satc.ranking.documents import RankedDocuments
from satc.ranking.live.reestimated_tables import ReestimatedTables
from satc.ranking.live.table_updates import GainChanges, LiveTables, ValidatedDocument
from satc.ranking.live.updated_tables import UpdatedTables
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.ranking import finite_utilities

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WrongByDocument:
    """The wrong decisions of each document, stored as one list instead of a matrix."""

    has_error: NDArray[np.bool_]  # document -> whether any decision is wrong
    start: list[int]  # document -> where its wrong decisions start
    decisions: list[tuple[int, bool]]  # (class, whether it was decided positive)

    @classmethod
    def between(cls, decided: Labels, y_true: Labels) -> WrongByDocument:
        """List the decisions that differ from the true labels."""
        parts = []
        for rows in row_blocks(*decided.shape):
            wrong = np.flatnonzero(decided[rows] != y_true[rows])
            document, label = np.divmod(wrong, decided.shape[1])
            parts.append((document + rows.start, label, decided[rows][document, label]))
        document, label, positive = (np.concatenate(column) for column in zip(*parts, strict=True))
        count = np.bincount(document, minlength=len(decided))
        start = np.concatenate([[0], np.cumsum(count)])
        pairs = list(zip(label.tolist(), positive.tolist(), strict=True))
        return cls(count > 0, start.tolist(), pairs)

    def of(self, i: int) -> list[tuple[int, bool]]:
        """Return the wrong decisions on document i, in the order of the classes."""
        return self.decisions[self.start[i] : self.start[i + 1]]


class DynamicRanking:
    """Find the best available document after each correction.

    A document is available until it is withdrawn.
    """

    def __init__(self, ranked: RankedDocuments) -> None:
        columns, gains = ranked.columns, ranked.model.column_gains
        if columns is None:
            raise ValueError(f"method {ranked.model.method.name!r} is not dynamic")
        self._tables = _live_tables(ranked)
        self._gains = np.array(gains)
        self._n_changes = 0

        n = columns.shape[0]
        utility = finite_utilities(columns.utilities(gains))
        documents = np.argsort(-utility, kind="stable")
        self._ties = documents if ranked.ties is None else ranked.ties[documents]
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

    @property
    def gains(self) -> Gains:
        """A copy of the current gains, one pair per column."""
        return Gains(*self._gains.copy())

    def best(self) -> int | None:
        """Return the available document with the largest utility; `ties` decides among equals."""
        position = kernels.pick(self._ties, self._blocks(), self._n_changes, self._slack)
        return None if position < 0 else int(self._documents[position])

    def withdraw(self, i: int) -> None:
        """Make document i unavailable."""
        kernels.withdraw(self._utility, self._bounds, self._position[i])

    def withdraw_all(self, documents: Sequence[int]) -> None:
        """Make several documents unavailable."""
        positions = self._position[np.array(documents, dtype=np.int64)]
        kernels.withdraw_all(self._utility, self._stamps, positions)

    def put_back(self, i: int) -> None:
        """Make document i available again."""
        kernels.put_back(self._utility, self._bounds, self._stamps, self._position[i])

    def remaining(self) -> Indices:
        """Return the available documents, by the utilities that were last computed.

        Not all utilities are recomputed after each correction, so the order is approximate.
        """
        utility = self._utility.ravel()[: len(self._documents)]
        position = np.argsort(-utility, kind="stable")
        return np.asarray(self._documents[position[np.isfinite(utility[position])]])

    def replace(self, removed: Collection[int], added: Sequence[ValidatedDocument]) -> None:
        """Remove the decisions on some documents, and add others at the end.

        The gains are then those of the remaining decisions and of the added ones, in order. Which
        documents are available does not change.
        """
        self._change(self._tables.replace(removed, added))

    def run(self, decided: Labels, y_true: Labels) -> Indices:
        """Validate all documents against their true labels; return the order, ties by index."""
        wrong = WrongByDocument.between(decided, y_true)
        order = np.empty(len(self._documents), dtype=np.int64)
        filled = 0
        while filled < len(order):
            start = filled
            filled = kernels.advance(
                self._documents,
                self._blocks(),
                self._n_changes,
                self._slack,
                wrong.has_error,
                order,
                filled,
            )
            self._validate_all(order[start:filled].tolist(), wrong)
        return order

    def _validate_all(self, documents: list[int], wrong: WrongByDocument) -> None:
        """Validate documents; only the last one can have an error."""
        learning = documents if self._tables.learns_from_correct else documents[-1:]
        self.replace((), [(i, wrong.of(i)) for i in learning])

    def _blocks(self) -> kernels.Blocks:
        return kernels.Blocks(
            self._tiles,
            self._utility,
            self._bounds,
            self._gains,
            self._known,
            self._stamps,
            self._near,
        )

    def _change(self, changes: GainChanges) -> None:
        """Set new gains, and update the bounds that depend on them."""
        for column, fp, fn in changes:
            kernels.change_gains(self._gains, self._bounds, self._largest, column, fp, fn)
            self._slack = max(self._slack, self._rounding * max(abs(fp), abs(fn)))
        self._n_changes += bool(changes)


def _live_tables(ranked: RankedDocuments) -> LiveTables:
    model, errors = ranked.model, ranked.misclassification
    micro = model.average == "micro"
    if model.tables is None or model.class_tables is None:
        raise ValueError(f"method {model.method.name!r} is not dynamic")
    if model.method.tables == "expected" and isinstance(errors, GivenMisclassification):
        return ReestimatedTables(
            model.class_tables,
            errors.signed,
            model.measure,
            model.column_gains,
            micro=micro,
            raised_by=model.raised_by,
        )
    smoothed = model.method.tables == "k-fold"
    return UpdatedTables(model.tables, model.measure, smoothed=smoothed, micro=micro)
