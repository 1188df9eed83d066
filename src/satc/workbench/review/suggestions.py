"""What a person is shown beside a document: the predicted labels, and those likely missed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from satc.validation import Validation

N_SUGGESTED = 12
_LEAST_LIKELY = 0.01  # labels less probable than that are not worth a line


class Suggestion(NamedTuple):
    """One class, how likely the document belongs to it, and what a check is worth."""

    label: int
    probability: float
    contribution: float


class Suggestions(NamedTuple):
    """Labels beside a document, the largest contribution first."""

    predicted: tuple[Suggestion, ...]
    missed: tuple[Suggestion, ...]

    def as_shown(self) -> dict[str, Any]:
        """Return what people are shown of them, and the record keeps."""
        return {
            "predicted": [_rounded(one) for one in self.predicted],
            "suggested": [_rounded(one) for one in self.missed],
        }


def _rounded(one: Suggestion) -> list[float]:
    return [one.label, round(one.probability, 4), float(f"{one.contribution:.4g}")]


def suggest(validation: Validation, document: int) -> Suggestions:
    """Return the predicted labels and the likely missed ones, by contribution."""
    decided, wrong, gain = validation.expectations(document)
    contribution = wrong * gain
    probability = np.where(decided, 1.0 - wrong, wrong)
    likely = np.flatnonzero(~decided & (wrong >= _LEAST_LIKELY))
    if len(likely) > N_SUGGESTED:
        cut = np.argpartition(-contribution[likely], N_SUGGESTED)[:N_SUGGESTED]
        likely = np.sort(likely[cut])

    def listed(labels: Any) -> tuple[Suggestion, ...]:
        ordered = labels[np.argsort(-contribution[labels], kind="stable")]
        return tuple(
            Suggestion(int(j), float(probability[j]), float(contribution[j])) for j in ordered
        )

    return Suggestions(listed(np.flatnonzero(decided)), listed(likely))
