"""Labels to show beside a document: the predicted ones, and those that may have been missed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.inputs import SINGLE_LABEL
from satc.validation import Validation
from satc.workbench.model.shown import Suggestion

N_SUGGESTED = 12
N_ALTERNATIVES = 9  # of the predicted class in a single-label task: each gets a digit on the page
_LEAST_LIKELY = 0.01  # less probable labels are not suggested


class Suggestions(NamedTuple):
    """Labels beside a document, the largest contribution first."""

    predicted: tuple[Suggestion, ...]
    missed: tuple[Suggestion, ...]

    def rounded(self) -> Suggestions:
        """Return the figures that people see."""
        predicted, missed = (tuple(one.rounded() for one in given) for given in self)
        return Suggestions(predicted, missed)


def suggest(validation: Validation, document: int) -> Suggestions:
    """Return the predicted labels and the likely missed ones, by contribution.

    In a single-label task these are the predicted class and its alternatives, by probability; if
    there are only a few classes, all of them are listed.
    """
    decided, wrong, gain = validation.expectations(document)
    contribution = wrong * gain
    probability = np.where(decided, 1.0 - wrong, wrong)
    is_single = validation.model.task == SINGLE_LABEL
    key, most = (probability, N_ALTERNATIVES) if is_single else (contribution, N_SUGGESTED)
    few = is_single and len(decided) <= N_ALTERNATIVES + 1
    likely = np.flatnonzero(~decided & (few | (wrong >= _LEAST_LIKELY)))
    if len(likely) > most:
        cut = np.argpartition(-key[likely], most)[:most]
        likely = np.sort(likely[cut])

    def listed(labels: NDArray[np.intp]) -> tuple[Suggestion, ...]:
        ordered = labels[np.argsort(-key[labels], kind="stable")]
        return tuple(
            Suggestion(int(j), float(probability[j]), float(contribution[j])) for j in ordered
        )

    return Suggestions(listed(np.flatnonzero(decided)), listed(likely))
