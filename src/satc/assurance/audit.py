"""The audit: documents drawn at random among those that nobody has read yet.

A seed gives every document a place in one random queue, before the work starts. The next
document to audit is the first in the queue that has not been validated. As long as nobody chooses
documents by their place in the queue, it is a uniform draw among those left, whatever the work in
between, and anyone who knows the seed can check that no draw was skipped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


class Decision(NamedTuple):
    """One document read by a person: its labels as they stand, and why it was read."""

    document: int
    labels: tuple[int, ...]  # class indices
    is_audit: bool = False


class AuditSample:
    """The random queue of documents to audit.

    Parameters
    ----------
    n_documents : int
    seed : int
    rate : float
        Share of the documents handed out that are audited, from 0 to 1.

    Examples
    --------
    >>> audit = AuditSample(5, seed=1)
    >>> audit.queue.tolist()
    [4, 0, 1, 2, 3]
    >>> audit.next(validated=[4, 1])
    0
    """

    def __init__(self, n_documents: int, seed: int, *, rate: float = 0.1) -> None:
        if not 0 <= rate <= 1:
            raise ValueError(f"rate must be a share from 0 to 1, but is {rate!r}")
        self.rate = rate
        self.queue: Indices = np.random.default_rng(seed).permutation(n_documents)

    def next(self, validated: Collection[int] | NDArray[Any]) -> int | None:
        """Return the document to audit now; None when all are validated."""
        is_left = np.ones(len(self.queue), dtype=bool)
        is_left[np.fromiter(validated, dtype=np.int64, count=len(validated))] = False
        left = self.queue[is_left[self.queue]]
        return int(left[0]) if len(left) else None

    def is_due(self, n_handed_out: int) -> bool:
        """Whether, after so many documents, the next one should be an audit, by the rate.

        Examples
        --------
        >>> [k for k in range(10) if AuditSample(50, seed=0, rate=0.25).is_due(k)]
        [3, 7]
        """
        return int((n_handed_out + 1) * self.rate) > int(n_handed_out * self.rate)

    def agrees(self, decisions: Iterable[Decision]) -> bool:
        """Whether every audited document was the one whose turn it was."""
        place = np.argsort(self.queue)
        validated = np.zeros(len(self.queue), dtype=bool)
        first = 0
        for document, _, is_audit in decisions:
            while validated[self.queue[first]]:
                first += 1
            if is_audit and place[document] != first:
                return False
            validated[document] = True
        return True


def as_decisions(value: Iterable[Any], n_documents: int, n_classes: int) -> tuple[Decision, ...]:
    """Check a log: every document once, indices that exist."""
    decisions = []
    seen: set[int] = set()
    for entry in value:
        document, labels, is_audit = entry
        document = _index(document, n_documents, "a document")
        if document in seen:
            raise ValueError(
                f"decisions must hold each document once, with its labels as they stand, but "
                f"hold document {document} twice"
            )
        seen.add(document)
        classes = tuple(sorted({_index(j, n_classes, "a label") for j in labels}))
        decisions.append(Decision(document, classes, bool(is_audit)))
    return tuple(decisions)


def indicator(decisions: Sequence[Decision], n_classes: int) -> NDArray[np.bool_]:
    """Return the labels of the decisions as a matrix, decisions x classes."""
    matrix = np.zeros((len(decisions), n_classes), dtype=bool)
    for row, decision in zip(matrix, decisions, strict=True):
        row[list(decision.labels)] = True
    return matrix


def _index(value: Any, size: int, what: str) -> int:
    index = int(value)
    if not 0 <= index < size:
        raise ValueError(f"decisions must name {what} from 0 to {size - 1}, but name {index}")
    return index
