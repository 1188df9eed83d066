"""Dynamic validation over a set that does not fit: the top part is held, the rest is bounded.

Those held are a `satc.Validation` of their own, under the tables of the whole set. Of all others it
is known what they can be worth at most (`outside`). While the best document held is above that
bound, it is the best of all; otherwise the engine looks again, under the gains of now, and more
are fetched. The order is the one of a `satc.Validation` of everything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.errors import StateError
from satc.gains import Gains
from satc.measures import Measure
from satc.ranking.setting import part_of
from satc.ranking.unfetched import Outside, places
from satc.scale.best_part import best_outside
from satc.scale.estimates import Estimates
from satc.scale.ranking import rank
from satc.scale.stored import StoredScores
from satc.validation import Validation


class StoredValidation:
    """Validate stored documents one by one, the most useful first.

    Parameters
    ----------
    scores : StoredScores
        From `stored_scores`.
    oof_scores, y_train : arrays of shape (n_train, n_classes)
        The training side; or `estimates` in their place, as for `rank`.
    method, measure, average, random_state, class_weights, error_costs
        As for `rank`.
    hold : int
        How many documents are fetched at a time.
    """

    def __init__(
        self,
        scores: StoredScores,
        *,
        oof_scores: Any = None,
        y_train: Any = None,
        estimates: Estimates | None = None,
        method: str = "contextual-dynamic",
        measure: str | Measure = "f1",
        average: str = "macro",
        random_state: int = 0,
        class_weights: Any = None,
        error_costs: Any = None,
        hold: int = 50_000,
    ) -> None:
        if hold < 1:
            raise ValueError(f"hold must be at least 1, but is {hold}")
        ranking = rank(
            scores,
            oof_scores=oof_scores,
            y_train=y_train,
            estimates=estimates,
            method=method,
            measure=measure,
            average=average,
            random_state=random_state,
            class_weights=class_weights,
            error_costs=error_costs,
        )
        self._stored, self._setting, self._gains = scores, ranking.setting, ranking.gains
        self._hold = hold
        self._ids: list[Any] = []
        self._row: dict[Any, int] = {}
        self._outside: Outside | None = None  # before the first look
        self._validation: Validation | None = None
        self.n_fetches = 0

    @property
    def n_held(self) -> int:
        """How many documents are in memory."""
        return len(self._ids)

    @property
    def order(self) -> list[Any]:
        """The documents submitted so far, in order."""
        if self._validation is None:
            return []
        return [self._ids[i] for i in self._validation.order.tolist()]

    @property
    def gains(self) -> Gains:
        """The gains of the classes as things stand now."""
        return self._gains if self._validation is None else self._validation.gains

    def bound(self) -> float:
        """Return what no document outside can be above, now."""
        if self._outside is None:
            return np.inf
        return self._outside.bound(self._setting.weighed(self.gains))

    def next(self) -> Any:
        """Return the id of the document to validate now; None when none is left."""
        validation = self._validation
        if validation is None or self._is_behind(validation):
            validation = self._fetch()
        best = validation.next()
        return None if best is None else self._ids[best]

    def submit(self, document: Any, labels: Any) -> None:
        """Record the true labels of a document that is held, 0/1 for every class."""
        if self._validation is None or document not in self._row:
            raise StateError(f"document {document!r} is not held: next() says which comes now")
        row = self._row[document]
        if self._validation.is_validated[row]:
            raise StateError(f"document {document!r} is validated already")
        self._validation.submit(row, labels)

    def undo(self) -> Any:
        """Take back the last decision; return its document."""
        if self._validation is None:
            raise StateError("nothing has been submitted yet, so there is nothing to undo")
        return self._ids[self._validation.undo()]

    def _is_behind(self, validation: Validation) -> bool:
        if self._outside is None:
            return True
        best = validation.next()
        utility, identity = -np.inf, None
        if best is not None:
            utility, identity = validation.utility(best), self._ids[best]
        return self._outside.may_beat(utility, self._setting.weighed(self.gains), identity)

    def _fetch(self) -> Validation:
        """Look again, and bring the best of those outside: what then stays there is behind them."""
        part = best_outside(self._stored, self._setting, self.gains, self._ids, self._hold)
        self._ids += part.ids
        self._row = {identity: row for row, identity in enumerate(self._ids)}
        self._outside = part.outside
        self.n_fetches += 1
        self._validation = self._grown(part.scores)
        return self._validation

    def _grown(self, scores: NDArray[np.float64]) -> Validation:
        if self._validation is not None:
            scores = np.concatenate([self._validation.setting.scores, scores])
        larger = Validation.of(part_of(self._setting, scores, places(self._ids)))
        if self._validation is not None:
            larger.resume(self._validation)
        return larger
