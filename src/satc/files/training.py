"""Read the training data of a ranking: out-of-fold scores and true labels.

Where both files of scores name their classes, columns are matched by name: the labels are read in
the class order of the out-of-fold scores (a matrix without names must have that order already), and
both are then brought into the class order of the documents' scores. Where no file of scores names
its classes, the names are those of the labels, in sorted order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from satc.errors import DataError
from satc.files.documents import PathLike
from satc.files.matrices import read_named_labels, read_scores
from satc.training import Training


def read_training(
    oof_scores: PathLike,
    train_labels: PathLike,
    classes: Sequence[str] | None = None,
    none_class: str | None = None,
    **columns: Any,
) -> Training:
    """Read out-of-fold scores and true labels of the training documents.

    Parameters
    ----------
    oof_scores, train_labels
        Files as `read_scores` and `read_labels` take them.
    classes
        The classes of the documents' scores, where they have names.
    none_class
        As for `read_labels`.
    columns
        Options of `read_documents`, for labels in a file of documents.
    """
    return read_training_with_ids(oof_scores, train_labels, classes, none_class, **columns)[0]


def read_training_with_ids(
    oof_scores: PathLike,
    train_labels: PathLike,
    classes: Sequence[str] | None = None,
    none_class: str | None = None,
    **columns: Any,
) -> tuple[Training, tuple[str, ...] | None]:
    """Read what `read_training` does, and the ids of the training documents, or None."""
    oof = read_scores(oof_scores)
    labels, names = read_named_labels(
        train_labels, oof.classes or classes, ids=oof.ids, none_class=none_class, **columns
    )
    if oof.scores.shape != labels.shape:
        raise DataError(
            f"{train_labels} must have the shape of {oof_scores}, {oof.scores.shape}, "
            f"but has {labels.shape}"
        )
    if classes is None or oof.classes is None:
        return Training(oof.scores, labels, class_names=names), oof.ids
    order = _column_order(oof_scores, oof.classes, classes)
    named = Training(oof.scores[:, order], labels[:, order], class_names=tuple(classes))
    return named, oof.ids


def _column_order(path: PathLike, found: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the column of each wanted class; the file must have no other classes."""
    if missing := [name for name in wanted if name not in found]:
        raise DataError(f"{path} must have the classes of the scores, but lacks {missing[0]!r}")
    if unknown := [name for name in found if name not in wanted]:
        raise DataError(
            f"{path} must have the classes of the scores, but has {unknown[0]!r} as well"
        )
    column = {name: j for j, name in enumerate(found)}
    return [column[name] for name in wanted]
