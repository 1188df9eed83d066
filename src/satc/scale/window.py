"""The best part of a larger set, held in memory, with a bound on the other documents.

The documents in memory are validated with the tables of the whole set. As long as the best of them
is above the bound on the others (`ranking.unfetched`), the order is that of a validation of the
whole set. If it is not, the engine ranks the whole set again under the current gains, and the best
documents that are not held are fetched. `StoredValidation` fetches them immediately; the workbench
fetches them in the background and saves them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from satc.gains import Gains
from satc.inputs import Scores
from satc.ranking.documents import apply_model
from satc.ranking.model import RankingModel
from satc.ranking.unfetched import UnfetchedBound, places
from satc.scale.best_part import BestPart, fetch_best_unheld
from satc.scale.stored import StoredScores
from satc.validation import Validation


def _identity(value: Any) -> Any:
    return value


class Window:
    """The documents of a larger set that are held, and a bound on the utility of the others.

    Parameters
    ----------
    model : RankingModel
        With the tables of the whole set.
    size : int
        The number of documents to fetch at a time.
    ids : iterable
        The documents held so far, in the order of the documents of the validation.
    bound : UnfetchedBound or None
        The bound on the others; None before the first fetch.
    sort_key : callable
        Among equal utilities, the document whose id has the smallest key comes first.
    """

    def __init__(
        self,
        model: RankingModel,
        size: int,
        ids: Iterable[Any] = (),
        bound: UnfetchedBound | None = None,
        sort_key: Callable[[Any], Any] = _identity,
    ) -> None:
        self.model = model
        self.size = size
        self.ids = list(ids)
        self.bound = bound
        self._sort_key = sort_key

    def may_be_beaten(
        self, validation: Validation, document: int | None, share: float = 1.0
    ) -> bool:
        """Whether a document that is not held could now rank before this one.

        With a share below 1: whether it could reach this share of the document's utility.
        """
        if self.bound is None:
            return True
        gains = self.model.weighted(validation.gains)
        if document is None:
            return self.bound.may_beat(-np.inf, gains)
        utility = validation.utility(document)
        if share < 1.0:
            return self.bound.may_beat(share * utility if utility > 0 else utility, gains)
        return self.bound.may_beat(utility, gains, self._sort_key(self.ids[document]))

    def fetch(self, scores: StoredScores, gains: Gains) -> BestPart:
        """Rank the whole set under these gains; return the best documents that are not held."""
        return fetch_best_unheld(scores, self.model, gains, self.ids, self.size)

    def validation(self, scores: Scores, ids: Iterable[Any]) -> Validation:
        """Return a validation of some documents of the set."""
        ties = places([self._sort_key(identity) for identity in ids])
        return Validation.of(apply_model(self.model, scores, ties))

    def hold(self, ids: Iterable[Any], bound: UnfetchedBound) -> None:
        """Add documents that were fetched; `bound` is the bound on the others."""
        self.ids += ids
        self.bound = bound
