"""Kinds of predictions, and the kind of numbers that nobody has named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from satc.errors import DataError
from satc.inputs import choice

SCORES, PROBABILITIES, LOGITS = "scores", "probabilities", "logits"
LABELS, VOTES = "labels", "votes"
KINDS = (SCORES, PROBABILITIES, LOGITS, LABELS, VOTES)

Array = NDArray[np.float64]


class UnclearKindError(DataError):
    """It is not clear of which kind numbers are; `likely` is what they may be."""

    def __init__(self, message: str, likely: str) -> None:
        super().__init__(message)
        self.likely = likely


def check_kind(kind: str | None) -> None:
    """Raise an error for a kind that does not exist; None is not known yet."""
    if kind is not None:
        choice(kind, dict.fromkeys(KINDS), "kind")


def kind_of(values: Array, named: str | None, path: Path) -> str:
    """Return the kind of numbers: as named by the user or by a column, else by their values.

    Numbers from 0 to 1 are probabilities, and labels if all are 0 or 1. Other numbers may be scores
    or logits, so they are refused. Scores from 0 to 1 are refused too: they have no sign.
    """
    given = values[~np.isnan(values)]
    within = bool(given.size) and given.min() >= 0.0 and given.max() <= 1.0
    if named == SCORES and within:
        raise UnclearKindError(
            f"{path} must have scores below 0 for classes that are not predicted, but all numbers "
            "are from 0 to 1: if they are probabilities, --kind probabilities",
            PROBABILITIES,
        )
    if named is not None:
        return named
    if not within:
        raise UnclearKindError(
            f"{path} has numbers that are not from 0 to 1, which may be scores or logits: "
            "say --kind scores or --kind logits",
            SCORES,
        )
    return LABELS if np.isin(given, (0.0, 1.0)).all() else PROBABILITIES
