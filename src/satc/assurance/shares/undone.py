"""Documents that were decided when others were drawn, and whose decision was undone later.

Such a document was not in the frame from which the others were drawn. If it was decided again, its
labels are known, and the frame without it estimates the undecided documents as usual. If it is
undecided, these draws say nothing about it: it counts as its prediction, and the interval becomes
wider by all that it can be. So the estimate is right whatever was undone, and for whatever reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from satc.assurance.certificate.audit import Absence

Array = NDArray[np.float64]


def powers_of(f: NDArray[np.floating]) -> Array:
    """Return the sums of f, f squared, f cubed and f to the fourth, powers x classes."""
    powers, sums = f, []
    for _ in range(4):
        sums.append(powers.sum(axis=0, dtype=np.float64))
        powers = powers * f
    return np.array(sums)


class OutsideFrame:
    """The undone documents that are outside of the frame at one place of the log.

    Attributes
    ----------
    n_documents, n_undecided : int
        How many documents are outside, and how many of them are undecided now.
    powers : array, 4 x classes
        Sums of powers of their predictions.
    y_since, f_since : arrays, one value per class
        Labels and predictions of those that were decided again.
    f_undecided : array, one value per class
        Predictions of the others.
    """

    def __init__(
        self,
        absences: Sequence[Absence],
        predictions: NDArray[np.floating],
        documents: NDArray[np.int64],
        y: Array,
    ) -> None:
        n_classes = predictions.shape[1]
        self.n_documents = self.n_undecided = 0
        self.powers = np.zeros((4, n_classes))
        self.y_since, self.f_since, self.f_undecided = np.zeros((3, n_classes))
        self._predictions, self._y = predictions, y
        self._row = {int(document): row for row, document in enumerate(documents)}
        self._changes: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for document, first, last in absences:
            self._changes[first].append((document, 1))
            self._changes[last].append((document, -1))
        self._places = sorted(self._changes, reverse=True)

    def move_to(self, place: int) -> None:
        """Go on to a later place of the log."""
        while self._places and self._places[-1] <= place:
            for document, sign in self._changes[self._places.pop()]:
                self._change(document, sign)

    def _change(self, document: int, sign: int) -> None:
        """Let a document leave the frame, or come back."""
        f = self._predictions[document].astype(np.float64)
        self.n_documents += sign
        self.powers += sign * powers_of(f[np.newaxis])
        if (row := self._row.get(document)) is None:
            self.n_undecided += sign
            self.f_undecided += sign * f
        else:
            self.y_since += sign * self._y[row]
            self.f_since += sign * f


def ends_of(absences: Sequence[Absence]) -> set[int]:
    """Return the places at which a document leaves the frame, or comes back.

    >>> sorted(ends_of([Absence(7, 2, 5), Absence(8, 2, 3)]))
    [2, 3, 5]
    """
    return {place for absence in absences for place in absence[1:]}


def within_rows(
    absences: Sequence[Absence], place_of: NDArray[np.int64], is_inside: NDArray[np.bool_]
) -> tuple[Absence, ...]:
    """Return the absences of some documents, with their places in the log of these documents.

    Parameters
    ----------
    place_of : int array
        The new number of each document; -1 if it is not among them.
    is_inside : boolean array
        For each entry of the log, whether it is about one of them.
    """
    before = np.concatenate([[0], np.cumsum(is_inside)])
    return tuple(
        Absence(int(place_of[document]), int(before[first]), int(before[last]))
        for document, first, last in absences
        if place_of[document] >= 0
    )
