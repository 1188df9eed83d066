"""Dynamic validation of a set that does not fit into memory.

The best documents are held in memory, and an upper bound on the utility of the others is known
(`window`). The order is the same as that of a `satc.Validation` of the whole set.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from scipy import sparse

from satc.errors import StateError
from satc.gains import Gains
from satc.ranking.options import DEFAULTS, LIVE_METHOD, shows_options
from satc.scale.ranking import StoredRankingOptions, rank
from satc.scale.stored import StoredScores
from satc.scale.window import Window
from satc.validation import Validation

HOLD = 50_000  # documents that are fetched at a time


class StoredValidation:
    """Validate stored documents one by one, the most useful first.

    Parameters
    ----------
    scores : StoredScores
        From `stored_scores`.
    hold : int
        The number of documents to fetch at a time.
    **options : Any
        As for `satc.scale.rank`; the default method is ``contextual-dynamic``.
    """

    @shows_options(StoredRankingOptions, {**DEFAULTS, "method": LIVE_METHOD})
    def __init__(
        self, scores: StoredScores, *, hold: int = HOLD, **options: Unpack[StoredRankingOptions]
    ) -> None:
        if hold < 1:
            raise ValueError(f"hold must be at least 1, but is {hold}")
        options.setdefault("method", LIVE_METHOD)
        ranking = rank(scores, **options)
        self._stored, self._gains, self._kept = scores, ranking.gains, ranking.kept
        self._window = Window(ranking.model, hold)
        self._row: dict[Any, int] = {}
        self._validation: Validation | None = None
        self.n_fetches = 0

    @property
    def n_held(self) -> int:
        """The number of documents in memory."""
        return len(self._window.ids)

    @property
    def order(self) -> list[Any]:
        """The documents submitted so far, in order."""
        if self._validation is None:
            return []
        return [self._window.ids[i] for i in self._validation.order.tolist()]

    @property
    def gains(self) -> Gains:
        """The current gains of the classes."""
        return self._gains if self._validation is None else self._validation.gains

    def bound(self) -> float:
        """Return an upper bound on the current utility of a document that is not in memory."""
        if self._window.bound is None:
            return np.inf
        return self._window.bound.bound(self._window.model.weighted(self.gains))

    def next(self) -> Any:
        """Return the id of the document to validate next; None if all are validated."""
        validation = self._validation
        if validation is None or self._window.may_be_beaten(validation, validation.next()):
            validation = self._fetch()
        best = validation.next()
        return None if best is None else self._window.ids[best]

    def submit(self, document: Any, labels: Any) -> None:
        """Record the true labels of a document in memory, 0 or 1 for every class."""
        if self._validation is None or document not in self._row:
            raise StateError(
                f"document {document!r} is not held in memory: submit the one that next() returns"
            )
        row = self._row[document]
        if self._validation.is_validated[row]:
            raise StateError(f"document {document!r} is validated already")
        self._validation.submit(row, labels)

    def undo(self) -> Any:
        """Undo the last decision; return its document."""
        if self._validation is None:
            raise StateError("nothing has been submitted yet, so there is nothing to undo")
        return self._window.ids[self._validation.undo()]

    def _fetch(self) -> Validation:
        """Fetch the best documents that are not held, and continue with them."""
        window, earlier = self._window, self._validation
        part = window.fetch(self._stored, self.gains, self._kept)
        scores, features = part.scores, part.features
        if earlier is not None:
            scores = np.concatenate([earlier.documents.scores, scores])
            features = _stacked(earlier.documents.features, features)
        window.hold(part.ids, part.bound)
        self._row = {identity: row for row, identity in enumerate(window.ids)}
        self.n_fetches += 1
        self._validation = window.validation(scores, window.ids, features)
        if earlier is not None:
            self._validation.resume(earlier)
        return self._validation


def _stacked(features: Any, more: Any) -> Any:
    """Return the features of documents and of more documents, of the same kind; None if none."""
    if features is None:
        return None
    if isinstance(features, np.ndarray):
        return np.concatenate([features, more])
    return sparse.csr_array(sparse.vstack([features, more]))
