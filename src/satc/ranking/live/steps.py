"""Validated documents with their wrong decisions, as arrays: what tables are computed from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.ranking.live.rows import GrowingRows
from satc.ranking.live.table_updates import ValidatedDocument

Indices = NDArray[np.int64]


class Steps(NamedTuple):
    """Validated documents in order, with the classes whose decisions were wrong."""

    documents: Indices
    counts: Indices  # how many decisions on each document were wrong
    classes: Indices  # the classes of all these decisions, document by document

    @classmethod
    def of(cls, validated: Sequence[ValidatedDocument]) -> Steps:
        """Arrange documents as arrays."""
        documents = [i for i, _ in validated]
        counts = [len(wrong) for _, wrong in validated]
        classes = [j for _, wrong in validated for j, _ in wrong]
        return cls(*(np.array(column, dtype=np.int64) for column in (documents, counts, classes)))

    def without(self, removed: Collection[int]) -> Steps:
        """Return the steps of the other documents."""
        kept = ~np.isin(self.documents, list(removed))
        classes = self.classes[np.repeat(kept, self.counts)]
        return Steps(self.documents[kept], self.counts[kept], classes)

    def followed_by(self, later: Steps) -> Steps:
        """Return these steps and then the later ones."""
        return Steps(*(np.concatenate(pair) for pair in zip(self, later, strict=True)))

    def parts(self, first: int, size: int) -> Iterator[Steps]:
        """Cut the steps into parts: one of the first size, then all of the other size."""
        start, place = 0, 0
        while start < len(self.documents):
            rows = slice(start, start + (size if start else first))
            counts = self.counts[rows]
            n = int(counts.sum())
            yield Steps(self.documents[rows], counts, self.classes[place : place + n])
            start, place = rows.stop, place + n


class StepList:
    """A list of steps that grows at the end.

    >>> steps = StepList()
    >>> steps.replace(0, Steps.of([(5, [(1, True)]), (3, []), (4, [(0, False), (1, True)])]))
    >>> steps.first_of([4, 9]), steps.since(1).without([3]).classes.tolist()
    (2, [0, 1])
    """

    def __init__(self) -> None:
        self._rows = GrowingRows(2)  # document, number of its wrong decisions
        self._classes = GrowingRows(1)

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self._rows)

    def first_of(self, documents: Collection[int]) -> int | None:
        """Return the place of the first step on one of these documents; None if there is none."""
        found = np.flatnonzero(np.isin(self._rows.as_array()[:, 0], list(documents)))
        return int(found[0]) if len(found) else None

    def since(self, start: int) -> Steps:
        """Return the steps from this place on."""
        documents, counts = np.ascontiguousarray(self._rows.as_array().T)
        classes = self._classes.as_array(int(counts[:start].sum())).ravel()
        return Steps(documents[start:], counts[start:], classes)

    def replace(self, start: int, steps: Steps) -> None:
        """Replace the steps from this place on by others."""
        if start < len(self._rows):
            n_left = len(self._classes) - len(self.since(start).classes)
            self._classes.cut(n_left)
            self._rows.cut(start)
        self._rows.extend(np.column_stack([steps.documents, steps.counts]))
        self._classes.extend(steps.classes)
