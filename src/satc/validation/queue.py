"""The queue of documents: the best one is taken, then submitted or given back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from satc.errors import StateError
from satc.ranking.documents import RankedDocuments
from satc.ranking.live.table_updates import ValidatedDocument
from satc.ranking.model import seed_of
from satc.validation.state import LoggedDecision, ValidationState


def _are_same(one: LoggedDecision, other: LoggedDecision) -> bool:
    """Whether two decisions give the same labels to the same document."""
    if one is other:
        return True
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
        self._check_open(i)
        decided = self._labels(labels)
        self._replace([], [LoggedDecision(i, decided)])

    def submit_all(self, documents: Iterable[int], labels: Any) -> None:
        """Record the true labels of several documents, as `submit` does for one after another.

        Parameters
        ----------
        documents
            The documents, in the order in which they were decided.
        labels : array, documents x classes
            Their labels, 0 or 1.
        """
        chosen = [self._document(i) for i in documents]
        if not chosen:
            return
        for i in chosen:
            self._check_open(i)
        if len(set(chosen)) < len(chosen):
            raise ValueError("documents must hold every document once, but one is repeated")
        vectors = self._label_matrix(labels, len(chosen))
        self._replace([], list(map(LoggedDecision, chosen, vectors)))

    def resume(self, other: DocumentQueue) -> None:
        """Copy the decisions and taken documents of a validation of the first documents."""
        self._drawn |= other._drawn
        self._n_draws += other._n_draws
        decisions = list(other._log.values())
        for decision in decisions:
            self._check_open(decision.document)
        self._replace([], decisions)
        for i in np.flatnonzero(other._taken).tolist():
            self.take(i)

    def catch_up(self, other: DocumentQueue) -> int:
        """Make the decisions and taken documents those of another validation of these documents.

        The other one may have only the first of these documents. Decisions that both have made in
        the same order stay, so a second call is fast. Returns how many decisions were added or
        removed.
        """
        wanted = list(other._log.values())
        removed, n_same = [], 0
        for decision in self._log.values():
            if n_same < len(wanted) and _are_same(decision, wanted[n_same]):
                n_same += 1
            else:
                removed.append(decision.document)
        added = wanted[n_same:]
        self._replace(removed, added)
        first = slice(other.n_documents)
        for i in np.flatnonzero(self._taken[first] & ~other._taken).tolist():
            self.give_back(i)
        free = ~self._taken[first] & ~self._validated[first]
        for i in np.flatnonzero(other._taken & free).tolist():
            self.take(i)
        self._drawn |= other._drawn
        return len(removed) + len(added)

    def undo(self, i: int | None = None) -> int:
        """Undo the last decision, or the decision on document i; return the document.

        The state is then the same as if only the other decisions had been submitted.
        """
        document = self._document_to_undo(i)
        self._replace([document], [])
        return document

    def _document_to_undo(self, i: int | None) -> int:
        if not self._log:
            raise StateError("nothing has been submitted yet, so there is nothing to undo")
        i = next(reversed(self._log)) if i is None else self._document(i)
        if not self._validated[i]:
            raise StateError(f"document {i} is not validated, so there is nothing to undo")
        return i

    def _check_open(self, i: int) -> None:
        if self._validated[i]:
            raise StateError(f"document {i} is validated already: undo({i}) removes the decision")

    def _replace(self, removed: list[int], added: list[LoggedDecision]) -> None:
        """Remove the decisions on some documents, and add others at the end.

        A removed document is available again, and an added one is not taken any more. The gains are
        set once, after everything.
        """
        self._ranking.replace(removed, self._with_errors(added))  # first: it may raise an error
        for i in removed:
            del self._log[i]
            self._validated[i] = False
            self._ranking.put_back(i)
        available = [one.document for one in added if not self._taken[one.document]]
        if len(available) == 1:
            self._ranking.withdraw(available[0])
        else:
            self._ranking.withdraw_all(available)
        for one in added:
            self._log[one.document] = one
            self._validated[one.document], self._taken[one.document] = True, False

    def _with_errors(self, decisions: list[LoggedDecision]) -> list[ValidatedDocument]:
        """Return the documents, each with the classes that the classifier decided wrongly."""
        if not decisions:
            return []
        documents = [one.document for one in decisions]
        decided = self._decided[documents]
        row, label = np.nonzero(np.array([one.labels for one in decisions]) != decided)
        wrong = list(zip(label.tolist(), decided[row, label].tolist(), strict=True))
        ends = np.cumsum(np.bincount(row, minlength=len(documents))).tolist()
        return [
            (i, wrong[start:end])
            for i, start, end in zip(documents, [0, *ends], ends, strict=False)
        ]
