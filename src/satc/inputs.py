"""Checks of the arguments that users pass: they become arrays, or raise an error.

Arrays, pandas and polars frames, lists and (for labels) SciPy sparse matrices are accepted. A
vector is taken as a single class. Errors name the argument.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from satc.errors import CalibrationWarning

_ROUNDED = 0.01  # how far a sum of probabilities may be from 1
_MOST_ROUNDED = 0.1  # and at most, if they are rounded
NO_SIGN = 1e-6  # a negative number of at most this size is no decision, but an error of rounding
_STEPS = (0.01, 0.001)  # to what probabilities are rounded, where that matters for their sums
MULTI_LABEL, SINGLE_LABEL = "multi-label", "single-label"  # tasks
Scores = NDArray[np.floating[Any]]
Labels = NDArray[np.bool_]
T = TypeVar("T")


def as_scores(value: Any, name: str) -> Scores:
    """Return scores as an array of finite floats, documents x classes; float32 stays float32."""
    array = _as_matrix(value, name)
    if array.dtype not in (np.float32, np.float64):
        array = _converted(array, name)
    if not _all_finite(array):
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"{name} must be finite, but {name}[{row}, {column}] is {array[row, column]}"
        )
    return array


def as_labels(value: Any, name: str) -> Labels:
    """Return labels as a boolean array, documents x classes."""
    array = _as_matrix(value, name)
    if array.dtype == np.bool_:
        return array
    if array.dtype.kind not in "iuf":
        array = _converted(array, name)
    labels = array == 1
    wrong = ~labels & (array != 0)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"{name} must hold 0 and 1 only, but {name}[{row}, {column}] is {array[row, column]}"
        )
    return labels


def indicator(
    label_sets: Collection[Iterable[Hashable]],
    classes: Sequence[Hashable],
    *,
    drop_unknown: bool = False,
) -> Labels:
    """Return sets of labels as a boolean matrix, documents x classes.

    Labels are names of classes, or class indices where `classes` is a range. A label that is not
    among the classes is an error, or is left out with `drop_unknown`.

    >>> indicator([{"wheat"}, (), ["corn", "wheat"]], ["corn", "wheat"]).tolist()
    [[False, True], [False, False], [True, True]]
    >>> indicator([[1], [0, 2]], range(2))
    Traceback (most recent call last):
    ...
    ValueError: labels must be among the 2 classes, but one is 2
    """
    column = {label: j for j, label in enumerate(classes)}
    matrix = np.zeros((len(label_sets), len(column)), dtype=np.bool_)
    for row, labels in zip(matrix, label_sets, strict=True):
        for label in labels:
            if label in column:
                row[column[label]] = True
            elif not drop_unknown:
                raise ValueError(
                    f"labels must be among the {len(column)} classes, but one is {label!r}"
                )
    return matrix


def check_same_shape(**arrays: NDArray[Any]) -> None:
    """Raise an error unless every array has the shape of the first one.

    >>> check_same_shape(scores=np.zeros((3, 2)), y_true=np.zeros((3, 4)))
    Traceback (most recent call last):
    ...
    ValueError: y_true must have the shape of scores, (3, 2), but has (3, 4)
    """
    (first, reference), *others = arrays.items()
    for name, array in others:
        if array.shape != reference.shape:
            raise ValueError(
                f"{name} must have the shape of {first}, {reference.shape}, but has {array.shape}"
            )


def check_same_classes(**arrays: NDArray[Any]) -> None:
    """Raise an error unless all arrays have the same number of columns (classes)."""
    (first, reference), *others = arrays.items()
    for name, array in others:
        if array.shape[1] != reference.shape[1]:
            raise ValueError(
                f"{name} must have as many classes (columns) as {first}, "
                f"{reference.shape[1]}, but has {array.shape[1]}"
            )


def choice(value: Any, options: Mapping[str, T], name: str) -> T:
    """Return the option of a name; the error for an unknown name lists the names that exist.

    >>> choice("makro", {"macro": 1, "micro": 2}, "average")
    Traceback (most recent call last):
    ...
    ValueError: average must be one of 'macro', 'micro', but is 'makro'
    """
    if isinstance(value, str) and value in options:
        return options[value]
    raise ValueError(f"{name} must be one of {_listed(options)}, but is {value!r}")


def check_one_label(labels: Labels, name: str) -> None:
    """Raise an error if a document does not have exactly one label.

    >>> check_one_label(np.array([[True, False], [False, False]]), "y_train")
    Traceback (most recent call last):
    ...
    ValueError: y_train must have exactly one label in every row, but row 1 has 0
    """
    n = labels.sum(axis=1)
    if (n != 1).any():
        row = int(np.flatnonzero(n != 1)[0])
        raise ValueError(
            f"{name} must have exactly one label in every row, but row {row} has {n[row]}"
        )


def are_distributions(scores: Scores) -> bool:
    """Whether every row holds probabilities that sum to 1, as the outputs of a softmax do.

    >>> are_distributions(np.array([[0.2, 0.8], [1.0, 0.0]]))
    True
    >>> are_distributions(np.array([[0.2, 0.8], [1.2, -0.2]]))
    False
    """
    if not len(scores) or scores.min() < 0.0 or scores.max() > 1.0:
        return False
    return bool((np.abs(scores.sum(axis=1) - 1.0) <= _ROUNDED).all())


def check_unit_interval(probabilities: Scores, name: str) -> None:
    """Raise an error if a probability is below 0 or above 1.

    >>> check_unit_interval(np.array([[0.2, 80.0]]), "probabilities")
    Traceback (most recent call last):
    ...
    ValueError: probabilities must be from 0 to 1, but probabilities[0, 1] is 80.0
    """
    if probabilities.min() < 0.0 or probabilities.max() > 1.0:
        row, column = np.argwhere((probabilities < 0.0) | (probabilities > 1.0))[0]
        raise ValueError(
            f"{name} must be from 0 to 1, but {name}[{row}, {column}] is "
            f"{probabilities[row, column]}"
        )


def off_sums(probabilities: Scores) -> NDArray[np.intp]:
    """Return the rows that do not sum to 1, apart from rounding.

    >>> off_sums(np.array([[0.2, 0.8], [0.2, 0.9]])).tolist()
    [1]
    """
    sums = np.abs(probabilities.sum(axis=1) - 1.0)
    return np.flatnonzero(sums > sum_tolerance(probabilities) + 1e-9)


def sum_tolerance(probabilities: Scores) -> float:
    """Return how far a sum may be from 1; each class adds half of what numbers are rounded to.

    >>> round(sum_tolerance(np.array([[0.33, 0.33, 0.33]])), 4)
    0.025
    >>> sum_tolerance(np.array([[0.3317, 0.3411, 0.3271]]))
    0.01
    """
    for step in _STEPS:
        times = probabilities / step
        if (np.abs(times - np.round(times)) < 1e-3).all():
            more = 0.5 * step * probabilities.shape[1]
            return min(_ROUNDED + more, _MOST_ROUNDED)
    return _ROUNDED


def check_distributions(probabilities: Scores, name: str) -> None:
    """Raise an error that names the first row of probabilities that does not sum to 1."""
    if len(wrong := off_sums(probabilities)):
        row = int(wrong[0])
        total = float(probabilities[row].sum())
        raise ValueError(f"{name} must sum to 1 in every row, but row {row} sums to {total:.4g}")


def look_like_probabilities(scores: Scores) -> bool:
    """Whether all scores are from 0 to 1, so that none of them is a decision against a label.

    >>> look_like_probabilities(np.array([[0.2, 0.9]]))
    True
    >>> look_like_probabilities(np.array([[0.2, -0.9]]))
    False
    """
    return not has_signs(scores) and bool(scores.max() <= 1.0 + NO_SIGN)


def has_signs(scores: Scores) -> bool:
    """Whether a score decides against a label: it is negative, and not by rounding alone.

    >>> has_signs(np.array([[0.2, -1e-9]])), has_signs(np.array([[1e-9, -1e-9]]))
    (False, True)
    """
    least = float(scores.min())
    return least < -NO_SIGN or (least < 0.0 and float(scores.max()) <= NO_SIGN)


def warn_of_probabilities(scores: Scores, task: str, stacklevel: int = 2) -> None:
    """Warn if scores of a multi-label task are all from 0 to 1: every pair is a label then."""
    if task == MULTI_LABEL and look_like_probabilities(scores):
        warnings.warn(
            "scores are all from 0 to 1, so every document gets every label; if they are "
            "probabilities, give satc.predictions.from_probabilities(scores)",
            CalibrationWarning,
            stacklevel=stacklevel + 1,
        )


def task_of(labels: Labels, least_share: float = 1.0) -> str:
    """Return the task that labels suggest.

    It is single-label if no document has several labels, and at least `least_share` of the
    documents have one.

    >>> task_of(np.array([[True, False], [False, True]]))
    'single-label'
    """
    n = labels.sum(axis=1)
    if labels.shape[1] < 2 or not len(n) or (n > 1).any() or (n == 1).mean() < least_share:
        return MULTI_LABEL
    return SINGLE_LABEL


def check_task(task: Any) -> None:
    """Raise an error if the task is neither multi-label nor single-label."""
    choice(task, {MULTI_LABEL: None, SINGLE_LABEL: None}, "task")


def check_average(average: Any) -> None:
    """Raise an error if the average is neither "macro" nor "micro"."""
    choice(average, {"macro": None, "micro": None}, "average")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)


def refuse_masked(value: Any, name: str) -> None:
    """Raise an error if an element of a masked array, or of a list of them, is masked.

    >>> refuse_masked(np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]]), "scores")
    Traceback (most recent call last):
    ...
    ValueError: scores must have no masked elements, but has 1
    """
    parts: Any = value if isinstance(value, list | tuple) else [value]
    masked = sum(int(one.mask.sum()) for one in parts if isinstance(one, np.ma.MaskedArray))
    if masked:
        raise ValueError(f"{name} must have no masked elements, but has {masked}")


def _as_matrix(value: Any, name: str) -> NDArray[Any]:
    refuse_masked(value, name)
    if hasattr(value, "toarray"):
        value = value.toarray()
    elif hasattr(value, "to_numpy"):
        value = value.to_numpy()
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} must be rectangular, documents x classes: {error}") from error
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions, documents x classes, but has shape {array.shape}"
        )
    if 0 in array.shape:
        raise ValueError(
            f"{name} must hold at least one document and one class, but has shape {array.shape}"
        )
    return array


def _converted(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    if array.dtype.kind in "cMm":
        raise TypeError(f"{name} must hold real numbers, but holds {array.dtype}")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must hold numbers, but holds {array.dtype}: {error}") from error


def _all_finite(array: NDArray[Any]) -> bool:
    """Return whether all elements are finite.

    The sum is computed first: if it is finite, so are all elements, and no temporary array is made.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.sum(array, dtype=np.float64)
    return bool(np.isfinite(total)) or bool(np.isfinite(array).all())
