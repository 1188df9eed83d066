"""How long it takes to read a document: from its length, or from a column of the data."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from satc.errors import DataError
from satc.files import Documents

WORDS_PER_MINUTE = 200.0
_LEAST_MINUTES = 0.1  # to open a document, look at its labels and decide


def reading_minutes(documents: Documents, reading: str) -> NDArray[np.float64]:
    """Return the reading time of each document; `reading` is "length" or the name of a column."""
    if reading == "length":
        words = np.array([len(text.split()) for text in documents.texts], dtype=np.float64)
        return _LEAST_MINUTES + words / WORDS_PER_MINUTE
    if reading not in documents.extra:
        known = ", ".join(map(repr, documents.extra)) or "no other columns"
        raise DataError(
            f"the documents must have the column {reading!r} with minutes, but have {known}"
        )
    pairs = zip(documents.ids, documents.extra[reading], strict=True)
    return np.array([_minutes(value, identity, reading) for identity, value in pairs])


def _minutes(value: object, identity: str, column: str) -> float:
    try:
        minutes = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        minutes = math.nan
    if not (math.isfinite(minutes) and minutes > 0):
        raise DataError(
            f"{column!r} of document {identity!r} must be a number of minutes above 0, "
            f"but is {value!r}"
        )
    return minutes
