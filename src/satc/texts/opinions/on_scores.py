"""Opinions on documents whose scores stand in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from satc.errors import DataError
from satc.files.tasks import suggested_task
from satc.texts.opinions.opinion_file import OpinionFile
from satc.texts.opinions.reading import Opinion, read_opinions
from satc.texts.wanted_task import WantedTask
from satc.training import Training


class ScoredDocuments(NamedTuple):
    """The documents of a file of scores; ids and classes are None where the file has none."""

    path: object
    ids: tuple[str, ...] | None
    n_documents: int
    classes: tuple[str, ...] | None


def numbered_classes(n_classes: int) -> tuple[str, ...]:
    """Return names for classes that have none.

    >>> numbered_classes(2)
    ('class 1', 'class 2')
    """
    return tuple(f"class {j + 1}" for j in range(n_classes))


def read_opinions_on_scores(
    files: Sequence[OpinionFile],
    scored: ScoredDocuments,
    classes: Sequence[str],
    wanted: WantedTask,
    columns: dict[str, Any],
    training: Training | None,
) -> tuple[Opinion, ...]:
    """Read opinions on documents with scores, and check that they are about these documents."""
    if not files:
        return ()
    task = wanted.without_labels
    if training is not None and not wanted.is_named:
        task = suggested_task(training.labels)
    try:
        opinions = read_opinions(
            files, classes, wanted, task, columns, trained=training is not None
        )
    except DataError as error:
        if scored.classes is None:
            raise DataError(
                f"{error}; {scored.path} does not name its classes, so the opinion must be a "
                ".npy or .npz file, or the scores a .parquet file"
            ) from error
        raise
    for one in opinions:
        one.check(scored.ids, scored.n_documents, scored.path)
    return opinions
