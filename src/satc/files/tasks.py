"""The task of labelled documents: whether each of them has exactly one label.

The labels show the task, unless the user names it. If no document has several labels, and the share
of documents with one label is at least `LEAST_LABELLED`, the task is single-label. Documents
without a label are then reported as errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.documents import PathLike, iter_labels
from satc.files.faults import Faults
from satc.inputs import SINGLE_LABEL, Labels, task_of

LEAST_LABELLED = 0.9  # of documents with one label, where the others have none
_FEW = 0.01  # of documents with several labels, which may be a mistake
_REMEDY = (
    "--none-class NAME makes 'no label' a class of its own, and --multi-label allows any number"
)


def suggested_task(labels: Labels) -> str:
    """Return the task that labels suggest; documents without a label may be faults in it.

    >>> import numpy as np
    >>> suggested_task(np.eye(3, dtype=bool)), suggested_task(np.ones((3, 2), dtype=bool))
    ('single-label', 'multi-label')
    """
    return task_of(labels, LEAST_LABELLED)


def find_task(
    path: PathLike,
    labels: Labels,
    task: str | None = None,
    none_class: str | None = None,
    **columns: Any,
) -> str:
    """Return the task of the labels of a file.

    Parameters
    ----------
    path
        The file that the labels come from: documents, or a matrix.
    labels
        Its labels; documents without one have `none_class` already, where that is given.
    task
        The task that the user names; None for the task that the labels suggest.
    none_class
        The class of documents without a label. The task is single-label then.
    columns
        Options of `read_documents`, for a file of documents.

    Raises
    ------
    satc.files.faults.BadRowsError
        If the task is single-label, and rows do not have exactly one label; it names all of them.
    """
    if task is None:
        task = suggested_task(labels) if none_class is None else SINGLE_LABEL
    if task == SINGLE_LABEL:
        _check_one_each(Path(path), labels, none_class, columns)
    return task


def describe_task(labels: Labels, task: str) -> str | None:
    """Say in one line which task was found, where the user should know; else return None."""
    n = labels.sum(axis=1)
    if task == SINGLE_LABEL:
        return (
            "every labelled document has exactly one label, so each document gets exactly one; "
            "--multi-label allows any number of labels"
        )
    several = int((n > 1).sum())
    if several and (n == 1).mean() >= 1 - _FEW:
        return (
            f"{several:,} of {len(n):,} labelled documents have several labels, so any number is "
            "allowed; if each document must have exactly one, --single-label lists these documents"
        )
    return None


def _check_one_each(
    path: Path, labels: Labels, none_class: str | None, columns: dict[str, Any]
) -> None:
    if labels.shape[1] < 2:
        raise DataError(
            f"{path} must have two classes or more for a single-label task, but has "
            f"{labels.shape[1]}"
        )
    if (labels.sum(axis=1) == 1).all():
        return
    faults = Faults(path, _REMEDY)
    for where, n in _counts(path, labels, columns):
        if n > 1 or (n == 0 and none_class is None):
            faults(DataError(f"{where} must have exactly one label, but has {n or 'none'}"))
    faults.check()


def _counts(path: Path, labels: Labels, columns: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the position and the number of labels of each row."""
    if path.suffix in (".npy", ".npz"):
        yield from ((f"{path}, row {i}", n) for i, n in enumerate(labels.sum(axis=1).tolist(), 1))
        return
    for where, names in iter_labels(path, **columns):
        yield where, len(names)
