"""The dynamic methods: each correction changes the ranking of the other documents (Section 7).

A decision changes the contingency tables (`table_updates`), the tables change the gains, and the
gains change the order of the documents that are not validated yet. Micro-averaging uses the same
algorithm with one table and two columns: the sums of P(fp) and of P(fn) over the classes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from satc.gains import Gains
from satc.inputs import Labels
from satc.ranking.documents import RankedDocuments
from satc.ranking.live.blocks import (
    N_CHANGES,
    are_unsorted,
    change_gains,
    make_blocks,
    sort_blocks,
    sort_roughly,
    update_all,
    withdraw_all,
)
from satc.ranking.live.exact import ExactRows
from satc.ranking.live.reestimated_tables import ReestimatedTables
from satc.ranking.live.search import advance, find_best, put_back
from satc.ranking.live.table_updates import GainChanges, LiveTables, ValidatedDocument
from satc.ranking.live.tiles import make_tiles
from satc.ranking.live.updated_tables import UpdatedTables
from satc.ranking.live.whole_validation import WrongByDocument, validate_all
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.ranking import finite_utilities

Indices = NDArray[np.int64]


class DynamicRanking:
    """Find the best available document after each correction.

    A document is available until it is withdrawn.
    """

    def __init__(self, ranked: RankedDocuments) -> None:
        columns, gains = ranked.columns, ranked.model.column_gains
        if columns is None:
            raise ValueError(f"method {ranked.model.method.name!r} is not dynamic")
        self._tables = _live_tables(ranked)

        n = columns.shape[0]
        self._columns = columns
        self._documents = np.arange(n)
        self._blocks = make_blocks(make_tiles(columns), gains, n)
        finite_utilities(self._blocks.utility.ravel()[:n])
        self._rows = ExactRows(columns, self._documents)
        self._sort()
        self._ties = self._documents if ranked.ties is None else ranked.ties[self._documents]
        self._position = np.empty(n, dtype=np.int64)
        self._position[self._documents] = np.arange(n)

    @property
    def gains(self) -> Gains:
        """A copy of the current gains, one pair per column."""
        return Gains(*self._blocks.gains.copy())

    def best(self) -> int | None:
        """Return the available document with the largest utility; `ties` decides among equals."""
        position = find_best(self._ties, self._blocks, self._rows.exact)
        while position < 0 and self._rows.any_missing:
            self._rows.fetch_missing()
            position = find_best(self._ties, self._blocks, self._rows.exact)
        return None if position < 0 else int(self._documents[position])

    def withdraw(self, i: int) -> None:
        """Make document i unavailable."""
        withdraw_all(self._blocks, self._position[i : i + 1])

    def withdraw_all(self, documents: Sequence[int]) -> None:
        """Make several documents unavailable."""
        withdraw_all(self._blocks, self._position[np.array(documents, dtype=np.int64)])

    def put_back(self, i: int) -> None:
        """Make document i available again."""
        put_back(self._blocks, self._rows.exact, self._position[i])

    def remaining(self) -> Indices:
        """Return the available documents, by the utilities that were last computed.

        Not all utilities are updated after each correction, so the order is then approximate.
        """
        utility = self._blocks.utility.ravel()[: len(self._documents)]
        if self._blocks.changes[N_CHANGES] == 0:
            return self._first_order[np.isfinite(utility)[self._position[self._first_order]]]
        position = np.argsort(-utility, kind="stable")
        return np.asarray(self._documents[position[np.isfinite(utility[position])]])

    @cached_property
    def _first_order(self) -> Indices:
        """All documents by their utilities, exactly, before any correction."""
        return np.argsort(-self._columns.utilities(self.gains), kind="stable")

    def replace(self, removed: Collection[int], added: Sequence[ValidatedDocument]) -> None:
        """Remove the decisions on some documents, and add others at the end.

        The gains are then those of the remaining decisions and of the added ones, in order. Which
        documents are available does not change.
        """
        self._change(self._tables.replace(removed, added))

    def run(self, decided: Labels, y_true: Labels) -> Indices:
        """Validate all documents against their true labels; return the order, ties by index.

        Afterwards no document is available, and the tables are not needed any more.
        """
        wrong = WrongByDocument.between(decided, y_true)
        order = np.empty(len(self._documents), dtype=np.int64)
        tables, filled = self._tables.for_whole_validation(), 0
        while filled < len(order):
            if tables is None:
                filled = self._until_error(wrong, order, filled)
            else:
                filled = validate_all(
                    *(self._documents, self._blocks, self._rows.exact),
                    *(tables, wrong, order, filled),
                )
            self._rows.fetch_missing()
            if filled < len(order) and are_unsorted(self._blocks.stamps, len(self._blocks.tiles)):
                self._sort()
        return order

    def _sort(self) -> None:
        """Sort the available documents by their current utilities; forget the others.

        Corrections change the order. The more of them since the documents were sorted, the more
        blocks could contain the best one.
        """
        update_all(self._blocks)
        positions = sort_roughly(self._blocks.utility.ravel())
        self._blocks = sort_blocks(self._blocks, positions)
        self._documents = self._documents[positions]
        self._rows.keep(positions)

    def _until_error(self, wrong: WrongByDocument, order: Indices, filled: int) -> int:
        """Validate documents until one has an error; return how many are validated now."""
        start = filled
        filled = advance(
            self._documents, self._blocks, self._rows.exact, wrong.start, order, filled
        )
        documents = order[start:filled].tolist()
        learning = documents if self._tables.learns_from_correct else documents[-1:]
        self.replace((), [(i, wrong.of(i)) for i in learning])
        return filled

    def _change(self, changes: GainChanges) -> None:
        """Set new gains, and update the bounds that depend on them."""
        columns = np.array([column for column, _, _ in changes], dtype=np.int64)
        gains = np.array([pair for _, *pair in changes]).reshape(-1, 2)
        change_gains(self._blocks, columns, gains[:, 0].copy(), gains[:, 1].copy())


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
