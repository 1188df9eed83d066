"""Labels as scores; labels may be a matrix, or names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import (
    MULTI_LABEL,
    SINGLE_LABEL,
    Labels,
    as_labels,
    check_one_label,
    check_task,
    indicator,
)

Array = NDArray[np.float64]
NameSets = list[tuple[str, ...] | None]  # None: not known


def from_labels(
    labels: Any, classes: Sequence[str] | None = None, *, task: str = MULTI_LABEL
) -> Array:
    """Return scores for labels without any probability: 1 for a label, else -1.

    All labels of a class count as equally probable, and all that are missing too. Only the other
    labels of a document, the frequencies of the classes and, where they are given, features can
    say which labels are doubtful.

    Parameters
    ----------
    labels : 0/1 array of shape (n_documents, n_classes), or list of names, or list of lists of them
    classes : sequence of str, optional
        The classes of the columns, where labels are names; by default `classes_of(labels)`.
    task : {"multi-label", "single-label"}

    Examples
    --------
    >>> from_labels(["refund", "fee"]).tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    >>> from_labels([["fee"], []], ["refund", "fee"]).tolist()
    [[-1.0, 1.0], [-1.0, -1.0]]
    """
    return np.where(label_matrix(labels, classes, task, "labels"), 1.0, -1.0)


def classes_of(labels: Iterable[Any]) -> list[str]:
    """Return the sorted names of all labels; `labels` are names, or lists of names.

    >>> classes_of([["refund", "fee"], [], "closing"])
    ['closing', 'fee', 'refund']
    """
    sets = name_sets(labels)
    if sets is None:
        raise TypeError("labels must be names, but are numbers")
    return sorted({name for names in sets for name in names or ()})


def label_matrix(labels: Any, classes: Sequence[str] | None, task: str, name: str) -> Labels:
    """Return labels as a boolean matrix; errors call them by `name`."""
    check_task(task)
    labels = rows_of(labels, name)
    sets = name_sets(labels)
    if sets is None:
        matrix = as_labels(labels, name)
    else:
        if classes is not None:
            _check_differ(classes)
        matrix = _of_names(sets, classes_of(labels) if classes is None else classes, name)
    if task == SINGLE_LABEL:
        check_one_label(matrix, name)
    return matrix


def rows_of(labels: Any, name: str) -> Any:
    """Return labels that can be read row by row; a table becomes an array."""
    if isinstance(labels, (str, bytes, Mapping)):
        raise TypeError(
            f"{name} must be a list with the labels of each document, but are a "
            f"{type(labels).__name__}: {labels!r:.80}"
        )
    return labels.to_numpy() if hasattr(labels, "to_numpy") else labels


def _check_differ(classes: Sequence[str]) -> None:
    if len(set(classes)) < len(classes):
        twice = next(name for name in classes if list(classes).count(name) > 1)
        raise ValueError(f"classes must differ, but {twice!r} comes twice")


def name_sets(labels: Any) -> NameSets | None:
    """Return the names of each document's labels; None if the labels are no names."""
    labels = rows_of(labels, "labels")
    kind = getattr(getattr(labels, "dtype", None), "kind", "")
    if hasattr(labels, "toarray") or kind in ("b", "i", "u", "f"):
        return None
    rows = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    rows = [None if isinstance(row, float) and row != row else row for row in rows]  # of pandas
    found = [_names(one) for one in rows]
    if any(one is None and row is not None for one, row in zip(found, rows, strict=True)):
        return None
    return None if all(one is None for one in found) else found


def _of_names(sets: NameSets, classes: Sequence[str], name: str) -> Labels:
    known = set(classes)
    for i, names in enumerate(sets):
        if names is None:
            raise ValueError(f"{name}[{i}] must be labels ([] for none), but is None")
        if unknown := [one for one in names if one not in known]:
            raise ValueError(f"{name}[{i}] must be among the classes, but is {unknown[0]!r}")
    return indicator([names or () for names in sets], classes)


def _names(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(x, str) for x in value):
        return tuple(value)
    return None
