"""Documents that were decided when others were drawn, and whose decision was undone later.

Such a document was not among those from which the audit drew, so these draws say nothing about it.
For each of these draws it keeps its place outside, and its errors are subtracted from the errors of
all documents: those that its present labels show if it was decided again, and else as many as it
can have at most. The bound on all errors then holds whatever was undone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.assurance.certificate.audit import Absence
from satc.inputs import Labels

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def _nothing() -> Indices:
    return np.zeros(0, dtype=np.int64)


class Outside(NamedTuple):
    """For each place in the log: how many undone documents were outside, and their errors."""

    value: Array
    n_documents: Indices


@dataclass(frozen=True, eq=False)
class AbsentDocuments:
    """Times in which documents were decided, before their decision was undone.

    Attributes
    ----------
    documents, first, last : int arrays
        One entry per time: the document was outside for the places first, ..., last - 1.
    row : int array
        The place of the present decision on the document; -1 if it is undecided now.
    assigned : boolean array, times x classes
        The labels of the classifier.
    """

    documents: Indices = field(default_factory=_nothing)
    first: Indices = field(default_factory=_nothing)
    last: Indices = field(default_factory=_nothing)
    row: Indices = field(default_factory=_nothing)
    assigned: Labels = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))

    @classmethod
    def of(
        cls, absences: tuple[Absence, ...], decided: Indices, predicted: Labels
    ) -> AbsentDocuments:
        """Find the present decisions on the documents."""
        place = {int(document): row for row, document in enumerate(decided)}
        columns = np.array(absences, dtype=np.int64).reshape(-1, 3)
        row = np.array([place.get(int(one), -1) for one in columns[:, 0]], dtype=np.int64)
        return cls(columns[:, 0], columns[:, 1], columns[:, 2], row, predicted[columns[:, 0]])

    def outside(
        self, worst: Array, value: Array, n_places: int, members: NDArray[np.bool_] | None = None
    ) -> Outside:
        """Return what was outside at each place, of some of the documents.

        Parameters
        ----------
        worst : array
            The largest value of each document here.
        value : array
            The value of each document of the log.
        n_places : int
            The length of the log.
        members : boolean array, optional
            The documents to count; by default all.
        """
        known = np.where(self.row >= 0, value[self.row] if len(value) else 0.0, worst)
        counted = np.ones(len(known)) if members is None else members.astype(np.float64)
        steps = np.zeros((2, n_places + 1))
        for sums, one in zip(steps, (known * counted, counted), strict=True):
            np.add.at(sums, self.first, one)
            np.add.at(sums, self.last, -one)
        totals = np.cumsum(steps, axis=1)[:, :n_places]
        return Outside(totals[0], totals[1].round().astype(np.int64))


NONE_ABSENT = AbsentDocuments()
