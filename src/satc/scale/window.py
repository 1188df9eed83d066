"""The best part of a larger set, held in memory, with a bound on the documents that are not.

A validation of the documents held, under the tables of the whole set, gives the order of a
validation of everything as long as its best document is above the bound (`ranking.unfetched`).
Where it is not, the engine ranks the whole set again under the present gains, and the best
documents that are not held are fetched. `StoredValidation` does that at once; the workbench does
it in the background and saves what was fetched.
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


def _same(identity: Any) -> Any:
    return identity


class Window:
    """Which documents of a larger set are held, and what the others can be worth at most.

    Parameters
    ----------
    model : RankingModel
        With the tables of the whole set.
    size : int
        How many documents are fetched at a time.
    ids : iterable
        The documents held so far, in the order of a validation's documents.
    bound : UnfetchedBound or None
        What is known of the others; None before the first fetch.
    sort_key : callable
        Ties go by this key of the ids.
    """

    def __init__(
        self,
        model: RankingModel,
        size: int,
        ids: Iterable[Any] = (),
        bound: UnfetchedBound | None = None,
        sort_key: Callable[[Any], Any] = _same,
    ) -> None:
        self.model = model
        self.size = size
        self.ids = list(ids)
        self.bound = bound
        self._sort_key = sort_key

    def may_be_beaten(
        self, validation: Validation, document: int | None, share: float = 1.0
    ) -> bool:
        """Whether a document that is not held could come before this one now.

        With a share below 1, whether it could come near: reach this share of its utility.
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
        """Return a validation of documents of the set: of those held, or of more."""
        ties = places([self._sort_key(identity) for identity in ids])
        return Validation.of(apply_model(self.model, scores, ties))

    def hold(self, ids: Iterable[Any], bound: UnfetchedBound) -> None:
        """Take documents into the window; the bound is that of the others."""
        self.ids += ids
        self.bound = bound
