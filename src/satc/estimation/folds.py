"""The folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from satc.inputs import Labels


class Fold(NamedTuple):
    """Indices of the documents to train on and of the documents to score."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]


def make_folds(
    labels: Labels, cv: Any = 10, random_state: Any = 0, groups: Any = None
) -> list[Fold]:
    """Return folds in which every document is in exactly one test part."""
    folds = [Fold(train, test) for train, test in _splits(labels, cv, random_state, groups)]
    held_out = np.concatenate([fold.test for fold in folds])
    if len(held_out) != len(labels) or len(np.unique(held_out)) != len(labels):
        raise ValueError("cv must put every document into exactly one test fold, but does not")
    return folds


def _splits(
    labels: Labels, cv: Any, random_state: Any, groups: Any
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    if isinstance(cv, int | np.integer):
        if not 2 <= cv <= len(labels):
            raise ValueError(
                f"cv must be from 2 to the number of training documents, {len(labels)}, but is {cv}"
            )
        if groups is not None:
            raise ValueError(
                f"groups need a splitter that uses them, such as GroupKFold({cv}), but cv is {cv}"
            )
        cv = KFold(int(cv), shuffle=True, random_state=random_state)
    if hasattr(cv, "split") and not isinstance(cv, str):
        y = labels if labels.shape[1] > 1 else labels[:, 0]
        return iter(cv.split(np.empty(len(labels)), y, groups))
    if groups is not None:
        raise ValueError("groups must be left out unless cv is a splitter that uses them")
    if isinstance(cv, Iterable) and not isinstance(cv, str):
        return iter(cv)
    raise TypeError(f"cv must be a number of folds, a splitter or an iterable, but is {cv!r}")
