"""A fixed order with the same interface as `DynamicRanking`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from satc.gains import Gains
from satc.ranking.documents import RankedDocuments
from satc.ranking.live.dynamic import DynamicRanking
from satc.ranking.live.table_updates import ValidatedDocument
from satc.ranking.ranking import ranked


class StaticRanking:
    """Find the best available document in an order that corrections do not change."""

    def __init__(self, documents: RankedDocuments) -> None:
        self._order = ranked(documents).order
        self._gains = documents.model.column_gains
        self._position = np.empty_like(self._order)
        self._position[self._order] = np.arange(len(self._order))
        self._available = np.ones(len(self._order), dtype=bool)  # by position
        self._first = 0

    @property
    def gains(self) -> Gains:
        """The gains, one pair per column."""
        return self._gains

    def best(self) -> int | None:
        """Return the first available document of the order."""
        while self._first < len(self._order) and not self._available[self._first]:
            self._first += 1
        return int(self._order[self._first]) if self._first < len(self._order) else None

    def withdraw(self, i: int) -> None:
        """Make document i unavailable."""
        self._available[self._position[i]] = False

    def withdraw_all(self, documents: Sequence[int]) -> None:
        """Make several documents unavailable."""
        self._available[self._position[np.array(documents, dtype=np.int64)]] = False

    def put_back(self, i: int) -> None:
        """Make document i available again."""
        self._available[self._position[i]] = True
        self._first = min(self._first, int(self._position[i]))

    def remaining(self) -> NDArray[np.int64]:
        """Return the available documents, in order."""
        return np.asarray(self._order[self._available])

    def replace(self, removed: Collection[int], added: Sequence[ValidatedDocument]) -> None:
        """Do nothing: corrections do not change a static ranking."""


def live_ranking(documents: RankedDocuments) -> StaticRanking | DynamicRanking:
    """Return the ranking for a live validation: dynamic or static, as the method says."""
    ranking = DynamicRanking if documents.model.method.is_dynamic else StaticRanking
    return ranking(documents)
