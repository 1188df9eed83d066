"""The audit: documents drawn at random among those that nobody has read yet.

Every draw is made by the seed and its number, so it is uniform among the documents left,
whatever the work in between, and anyone who knows the seed can check that no draw was passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Decision(NamedTuple):
    """One document read by a person: its labels as they stand, and why it was read."""

    document: int
    labels: tuple[int, ...]  # class indices
    is_audit: bool = False


class AuditSample:
    """Documents to audit, drawn one by one.

    Parameters
    ----------
    n_documents : int
    seed : int
    rate : float
        Share of the decisions that are to be audits, from 0 to 1.
    drawn : sequence of int
        Documents drawn before, in their order.

    Examples
    --------
    >>> audit = AuditSample(5, seed=1)
    >>> audit.draw(validated=[4, 1]), audit.draw(validated=[4, 1])
    (2, 3)
    >>> audit.drawn
    [2, 3]
    """

    def __init__(
        self, n_documents: int, seed: int, *, rate: float = 0.1, drawn: Sequence[int] = ()
    ) -> None:
        if not 0 <= rate <= 1:
            raise ValueError(f"rate must be a share from 0 to 1, but is {rate!r}")
        self.n_documents = n_documents
        self.seed = seed
        self.rate = rate
        self.drawn = list(drawn)

    def draw(self, validated: Collection[int] | NDArray[Any]) -> int | None:
        """Draw among the documents neither validated nor drawn yet; None when none is left."""
        is_left = np.ones(self.n_documents, dtype=bool)
        is_left[np.fromiter(validated, dtype=np.int64, count=len(validated))] = False
        is_left[self.drawn] = False
        left = np.flatnonzero(is_left)
        if not len(left):
            return None
        rng = np.random.default_rng([self.seed, len(self.drawn)])
        self.drawn.append(int(left[rng.integers(len(left))]))
        return self.drawn[-1]

    def is_due(self, n_validated: int) -> bool:
        """Whether, after so many validated documents, another draw is wanted by the rate.

        Examples
        --------
        >>> [AuditSample(50, seed=0, rate=0.25).is_due(k) for k in range(5)]
        [False, False, False, True, True]
        """
        return len(self.drawn) < int((n_validated + 1) * self.rate + 1e-9)

    def agrees(self, decisions: Iterable[Decision]) -> bool:
        """Whether every audited document of a log is the one that the seed draws at its place."""
        again = AuditSample(self.n_documents, self.seed)
        validated: list[int] = []
        for document, _, is_audit in decisions:
            if is_audit and again.draw(validated) != document:
                return False
            validated.append(document)
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


def _index(value: Any, size: int, what: str) -> int:
    index = int(value)
    if not 0 <= index < size:
        raise ValueError(f"decisions must name {what} from 0 to {size - 1}, but name {index}")
    return index
