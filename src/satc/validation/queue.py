"""The queue of documents: the best one is taken, then submitted or given back."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np

from satc.errors import StateError
from satc.ranking.documents import RankedDocuments
from satc.ranking.model import seed_of
from satc.validation.state import LoggedDecision, ValidationState


def _are_same(pair: tuple[LoggedDecision, LoggedDecision]) -> bool:
    """Whether two decisions give the same labels to the same document."""
    one, other = pair
    return one.document == other.document and np.array_equal(one.labels, other.labels)


class DocumentQueue(ValidationState):
    """Gives out documents, the most useful first, and records the decisions."""

    def _start(self, documents: RankedDocuments) -> None:
        super()._start(documents)
        self._drawn: set[int] = set()  # documents that were drawn at random
        self._n_draws = 0  # how often a document was drawn

    def next(self) -> int | None:
        """Return the document to validate next; None if no document is available.

        The result stays the same until a document is taken, given back or submitted, or a decision
        is undone.
        """
        return self._ranking.best()

    def take(self, i: int | None = None) -> int | None:
        """Reserve the next document, or document i, for one person; return it."""
        if i is None:
            i = self._ranking.best()
            if i is None:
                return None
        i = self._document(i)
        if self._validated[i] or self._taken[i]:
            state = "validated" if self._validated[i] else "taken"
            raise StateError(f"document {i} is {state} already, so it cannot be taken")
        self._taken[i] = True
        self._ranking.withdraw(i)
        return i

    def draw(self) -> int | None:
        """Reserve a document at random, as `take` does; None if no document is available.

        In a cold start, the estimate of accuracy rests on such documents: submit their labels as
        those of any other document.
        """
        seed = [seed_of(self.model.random_state), self._n_draws]
        left = np.flatnonzero(~self._validated & ~self._taken)
        if not len(left):
            return None
        i = int(np.random.default_rng(seed).choice(left))
        self._n_draws += 1
        self._drawn.add(i)
        return self.take(i)

    def give_back(self, i: int) -> None:
        """Make a taken document available again, without a decision."""
        i = self._document(i)
        if not self._taken[i]:
            raise StateError(f"document {i} is not taken, so it cannot be given back")
        self._taken[i] = False
        self._drawn.discard(i)  # if the ranking brings it later, it is not random any more
        self._ranking.put_back(i)

    def submit(self, i: int, labels: Any) -> None:
        """Record the true labels of document i, a vector of 0/1 with one entry per class."""
        i = self._document(i)
        if self._validated[i]:
            raise StateError(f"document {i} is validated already: undo({i}) removes the decision")
        decided = self._labels(labels)
        if not self._taken[i]:
            self._ranking.withdraw(i)
        self._taken[i] = False
        self._validated[i] = True
        wrong = np.flatnonzero(decided != self._decided[i])
        before = self._ranking.validate(
            i, list(zip(wrong.tolist(), self._decided[i, wrong].tolist(), strict=True))
        )
        self._log.append(LoggedDecision(i, decided, before))

    def resume(self, other: DocumentQueue) -> None:
        """Copy the decisions and taken documents of a validation of the first documents."""
        self._drawn |= other._drawn
        self._n_draws += other._n_draws
        for decision in other._log:
            self.submit(decision.document, decision.labels)
        for i in np.flatnonzero(other._taken).tolist():
            self.take(i)

    def catch_up(self, other: DocumentQueue) -> int:
        """Make the decisions and taken documents those of another validation of these documents.

        Decisions that both have made in the same order stay, so a second call is fast. Returns how
        many decisions were added or removed.
        """
        wanted = list(other._log)
        pairs = zip(self._log, wanted, strict=False)
        n_same = sum(1 for _ in takewhile(_are_same, pairs))
        changed = len(self._log) + len(wanted) - 2 * n_same
        while len(self._log) > n_same:
            self._pop()
        for decision in wanted[n_same:]:
            self.submit(decision.document, decision.labels)
        for i in np.flatnonzero(self._taken & ~other._taken).tolist():
            self.give_back(i)
        for i in np.flatnonzero(other._taken & ~self._taken & ~self._validated).tolist():
            self.take(i)
        self._drawn |= other._drawn
        return changed

    def undo(self, i: int | None = None) -> int:
        """Undo the last decision, or the decision on document i; return the document.

        The state is then the same as if only the other decisions had been submitted.
        """
        document = self._document_to_undo(i)
        later: list[LoggedDecision] = []
        while (decision := self._pop()).document != document:
            later.append(decision)
        for decision in reversed(later):
            self.submit(decision.document, decision.labels)
        return document

    def _document_to_undo(self, i: int | None) -> int:
        if not self._log:
            raise StateError("nothing has been submitted yet, so there is nothing to undo")
        i = self._log[-1].document if i is None else self._document(i)
        if not self._validated[i]:
            raise StateError(f"document {i} is not validated, so there is nothing to undo")
        return i

    def _pop(self) -> LoggedDecision:
        decision = self._log.pop()
        self._validated[decision.document] = False
        self._ranking.revert(decision.before)
        self._ranking.put_back(decision.document)
        return decision
