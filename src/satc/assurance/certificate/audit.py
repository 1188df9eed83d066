"""The audit: documents drawn at random among those that nobody has read yet.

The random generator of a draw is seeded with the seed of the audit and the number of the draw. So
every draw is uniform among the documents that are left, no matter which documents were validated
before, and anyone who knows the seed can check that no draw was skipped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class AuditedDecision(NamedTuple):
    """One validated document: its present labels, and whether the audit had drawn it.

    `satc.assurance.Decision` is another name of this class.
    """

    document: int
    labels: tuple[int, ...]  # class indices
    is_audit: bool = False


class Absence(NamedTuple):
    """A time in which a document was decided, and so was not drawn from, before it was undone.

    `first` and `last` are places in the log of decisions: the document was not among the documents
    from which the audited decisions at the places first, ..., last - 1 were drawn.
    """

    document: int
    first: int
    last: int


class AuditSample:
    """A random sample of documents to audit, drawn one by one.

    Parameters
    ----------
    n_documents : int
        Number of documents in the whole set.
    seed : int
        Seed of the draws.
    rate : float
        Share of the decisions that should be audits, from 0 to 1.
    drawn : sequence of int
        Documents that were drawn earlier, in the order of the draws.

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
        """Draw one of the documents that are neither validated nor drawn; None if there is none."""
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
        """Return whether `rate` asks for another draw after this many validated documents.

        Examples
        --------
        >>> [AuditSample(50, seed=0, rate=0.25).is_due(k) for k in range(5)]
        [False, False, False, True, True]
        """
        return len(self.drawn) < int((n_validated + 1) * self.rate + 1e-9)

    def agrees(self, decisions: Iterable[AuditedDecision]) -> bool:
        """Return whether the seed draws every audited document of a log at its position."""
        again = AuditSample(self.n_documents, self.seed)
        validated: list[int] = []
        for document, _, is_audit in decisions:
            if is_audit and again.draw(validated) != document:
                return False
            validated.append(document)
        return True


def as_decisions(
    value: Iterable[Any], n_documents: int, n_classes: int
) -> tuple[AuditedDecision, ...]:
    """Return a checked log: every document at most once, and all indices in range."""
    decisions = []
    seen: set[int] = set()
    for entry in value:
        document, labels, is_audit = entry
        document = _index(document, n_documents, "a document")
        if document in seen:
            raise ValueError(
                f"decisions must hold each document once, with its present labels, but hold "
                f"document {document} twice"
            )
        seen.add(document)
        classes = tuple(sorted({_index(j, n_classes, "a label") for j in labels}))
        decisions.append(AuditedDecision(document, classes, bool(is_audit)))
    return tuple(decisions)


def _index(value: Any, size: int, what: str) -> int:
    index = int(value)
    if not 0 <= index < size:
        raise ValueError(f"decisions must name {what} from 0 to {size - 1}, but name {index}")
    return index


def as_absences(value: Iterable[Any], n_documents: int, n_decisions: int) -> tuple[Absence, ...]:
    """Return checked absences: documents and places in range."""
    absences = []
    for document, first, last in value:
        if not 0 <= int(first) <= int(last) <= n_decisions:
            raise ValueError(
                f"undone must name places from 0 to {n_decisions}, but name {first} to {last}"
            )
        absences.append(Absence(_index(document, n_documents, "a document"), int(first), int(last)))
    return tuple(absences)
