"""The training side in files: out-of-fold scores and true labels, in the order of the classes.

Where both files of scores name their classes, columns go by name: the labels are read in the order
of the out-of-fold scores, which a matrix without names shares, and both are then brought into the
order of the documents' scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satc.errors import DataError
from satc.files.documents import PathLike
from satc.files.matrices import read_labels, read_scores
from satc.inputs import Labels, Scores


class TrainingTable(NamedTuple):
    """Out-of-fold scores and labels, a row for each training document."""

    oof_scores: Scores
    labels: Labels


def read_training(
    oof_scores: PathLike,
    train_labels: PathLike,
    classes: Sequence[str] | None = None,
    **columns: str,
) -> TrainingTable:
    """Read the training side.

    Parameters
    ----------
    oof_scores, train_labels
        Files as `read_scores` and `read_labels` take them.
    classes
        The classes of the documents' scores, where they have names.
    columns
        Options of `read_documents`, for labels in a file of documents.
    """
    oof = read_scores(oof_scores)
    labels = read_labels(train_labels, oof.classes or classes, ids=oof.ids, **columns)
    if oof.scores.shape != labels.shape:
        raise DataError(
            f"{train_labels} must have the shape of {oof_scores}, {oof.scores.shape}, "
            f"but has {labels.shape}"
        )
    if classes is None or oof.classes is None:
        return TrainingTable(oof.scores, labels)
    order = _order(oof_scores, oof.classes, classes)
    return TrainingTable(oof.scores[:, order], labels[:, order])


def _order(path: PathLike, there: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return where the classes that are wanted stand in the file; it must have no others."""
    if missing := [name for name in wanted if name not in there]:
        raise DataError(f"{path} must have the classes of the scores, but lacks {missing[0]!r}")
    if unknown := [name for name in there if name not in wanted]:
        raise DataError(
            f"{path} must have the classes of the scores, but has {unknown[0]!r} as well"
        )
    column = {name: j for j, name in enumerate(there)}
    return [column[name] for name in wanted]
