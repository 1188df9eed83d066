"""Labels to show beside a document: the predicted ones, and those that may have been missed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.validation import Validation
from satc.workbench.model.shown import Suggestion

FEW_CLASSES = 40  # up to so many, the page lists all classes, each with its probability
N_SUGGESTED = 6  # of more classes
_LEAST_LIKELY = 0.02  # less probable labels are not suggested


class Suggestions(NamedTuple):
    """Labels beside a document, the most probable first."""

    predicted: tuple[Suggestion, ...]
    missed: tuple[Suggestion, ...]

    def rounded(self) -> Suggestions:
        """Return the figures that people see."""
        predicted, missed = (tuple(one.rounded() for one in given) for given in self)
        return Suggestions(predicted, missed)


def suggest(validation: Validation, document: int) -> Suggestions:
    """Return the predicted labels, and the most probable other ones.

    If there are only a few classes, all of them are listed.
    """
    decided, wrong, gain = validation.expectations(document)
    contribution = wrong * gain
    probability = np.where(decided, 1.0 - wrong, wrong)

    def listed(labels: NDArray[np.intp]) -> tuple[Suggestion, ...]:
        ordered = labels[np.argsort(-probability[labels], kind="stable")]
        figures = (ordered, probability[ordered], contribution[ordered])
        return tuple(map(Suggestion, *(column.tolist() for column in figures)))

    return Suggestions(listed(np.flatnonzero(decided)), listed(_others(decided, probability)))


def _others(decided: NDArray[np.bool_], probability: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the classes that are not predicted: all of a few, or the most probable of many."""
    if len(decided) <= FEW_CLASSES:
        return np.flatnonzero(~decided)
    likely = np.flatnonzero(~decided & (probability >= _LEAST_LIKELY))
    order = np.argsort(-probability[likely], kind="stable")[:N_SUGGESTED]
    return np.sort(likely[order])
