"""Checks of the arguments of `shares`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import (
    Labels,
    Scores,
    as_labels,
    as_scores,
    check_same_classes,
    check_unit_interval,
)


def as_predictions(value: Any) -> Scores:
    """Return probabilities, or labels as 0 and 1, documents x classes."""
    f = as_scores(value, "predictions")
    check_unit_interval(f, "predictions")
    return f


def as_rows(value: Any, n_documents: int, name: str) -> NDArray[np.int64]:
    """Return rows of the predictions as integers."""
    rows = np.asarray(value)
    if rows.size and (rows.ndim != 1 or rows.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a list of rows of predictions, but is {value!r}")
    rows = rows.astype(np.int64).reshape(-1)
    outside = rows[(rows < 0) | (rows >= n_documents)]
    if len(outside):
        raise ValueError(
            f"{name} must hold rows from 0 to {n_documents - 1}, but holds {outside[0]}"
        )
    return rows


def refuse_repeated(documents: NDArray[np.int64]) -> None:
    """Refuse a document that is there twice."""
    rows, times = np.unique(documents, return_counts=True)
    if (times > 1).any():
        raise ValueError(
            "audited and known must hold every document once at most, but document "
            f"{rows[times > 1][0]} is there twice"
        )


def labels_of(rows: NDArray[np.int64], labels: Any, f: Scores, name: str, named: str) -> Labels:
    """Return the labels of some documents, which may be left out if there are none."""
    if not len(rows) and labels is None:
        return np.zeros((0, f.shape[1]), dtype=bool)
    if labels is None:
        raise ValueError(f"{named} must hold the labels of the {len(rows)} {name} documents")
    y = as_labels(labels, named)
    check_same_classes(predictions=f, **{named: y})
    if len(y) != len(rows):
        raise ValueError(
            f"{named} must have one row for each of {len(rows)} {name} documents, but has {len(y)}"
        )
    return y


def check_level(level: float) -> None:
    """Refuse a level that is not between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, such as 0.95, but is {level!r}")


def as_groups(
    groups: Sequence[Hashable] | None, n_documents: int
) -> dict[Hashable, NDArray[np.int64]]:
    """Return the rows of each group, in the order in which the groups appear."""
    if groups is None:
        return {}
    if len(groups) != n_documents:
        raise ValueError(
            f"groups must have {n_documents} values, one per document, but has {len(groups)}"
        )
    rows: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    return {group: np.array(members, dtype=np.int64) for group, members in rows.items()}
