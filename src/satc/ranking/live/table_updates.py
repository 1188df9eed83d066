"""Contingency tables that are updated during validation: what the dynamic ranking needs of them.

`updated_tables` follows the paper (Section 7), `reestimated_tables` is for the contextual methods.
Both depend on the order of the decisions. Therefore they keep the decisions as numbers, and a
decision that is removed leads to exactly the tables that the other decisions alone give.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from satc.ranking.live.whole_validation import Tables

WrongDecisions = Sequence[tuple[int, bool]]  # (class, whether it was decided positive)
ValidatedDocument = tuple[int, WrongDecisions]
GainChanges = list[tuple[int, float, float]]  # (column, gain of an FP, gain of an FN)


class LiveTables(Protocol):
    """Interface of the tables that the dynamic ranking updates."""

    learns_from_correct: bool  # whether a document without errors changes the tables

    def for_whole_validation(self) -> Tables | None:
        """Return a copy for the compiled loop of a whole validation; None if it cannot be used."""

    def replace(self, removed: Collection[int], added: Sequence[ValidatedDocument]) -> GainChanges:
        """Remove the decisions on some documents, and add others at the end.

        The tables are then those of the remaining decisions and of the added ones, in order.
        Returns the gains that have changed.
        """
