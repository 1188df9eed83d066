"""A fixed order as a queue, with the same few calls as `DynamicRanking`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satc.gains import Gains
from satc.ranking.documents import RankedDocuments
from satc.ranking.dynamic import DynamicRanking
from satc.ranking.ranking import ranked
from satc.ranking.table_updates import Wrongs


class StaticRanking:
    """The best document now, among those in the running, when corrections change nothing."""

    def __init__(self, documents: RankedDocuments) -> None:
        self._order = ranked(documents).order
        self._gains = documents.model.column_gains
        self._position = np.empty_like(self._order)
        self._position[self._order] = np.arange(len(self._order))
        self._running = np.ones(len(self._order), dtype=bool)  # by position
        self._first = 0

    @property
    def gains(self) -> Gains:
        """The gains, one pair per column."""
        return self._gains

    def best(self) -> int | None:
        """Return the first document of the order that is in the running."""
        while self._first < len(self._order) and not self._running[self._first]:
            self._first += 1
        return int(self._order[self._first]) if self._first < len(self._order) else None

    def withdraw(self, i: int) -> None:
        """Take document i out of the running."""
        self._running[self._position[i]] = False

    def put_back(self, i: int) -> None:
        """Put document i back into the running."""
        self._running[self._position[i]] = True
        self._first = min(self._first, int(self._position[i]))

    def remaining(self) -> NDArray[np.int64]:
        """Return the documents in the running, in their order."""
        return np.asarray(self._order[self._running])

    def validate(self, i: int, wrong: Wrongs) -> object:
        """Nothing changes."""
        return None

    def revert(self, before: object) -> None:
        """Nothing has changed."""


def live_ranking(documents: RankedDocuments) -> StaticRanking | DynamicRanking:
    """Return the ranking of a validation in progress."""
    ranking = DynamicRanking if documents.model.method.is_dynamic else StaticRanking
    return ranking(documents)
