"""Read the files of an opinion, and find the rows of documents in them.

Any file that `satc.files.predictions` reads is an opinion. Classes are matched by name. A document
without a row has no opinion. Where every document has exactly one label, a row without a label is
no opinion either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.errors import DataError
from satc.files.predictions.kinds import LABELS, UnclearKindError
from satc.files.predictions.layout import WIDE
from satc.files.predictions.named_classes import ONE_CLASS
from satc.files.predictions.raw import RawPredictions
from satc.files.predictions.reading import read_raw
from satc.files.predictions.table import table_of
from satc.inputs import MULTI_LABEL, SINGLE_LABEL
from satc.texts.opinions.opinion_file import OpinionFile
from satc.texts.wanted_task import WantedTask

Array = NDArray[np.float64]


class Rows(NamedTuple):
    """The contents of a file: scores, and the row of each document where it has ids."""

    path: Path
    scores: Array
    row: dict[str, int] | None

    def of(self, ids: Sequence[str] | None, n_documents: int, start: int = 0) -> Array:
        """Return the rows of documents, by id or else in order from `start`; NaN if missing."""
        if ids is None or self.row is None:
            return self.scores[start : start + n_documents]
        rows = np.array([self.row.get(one, -1) for one in ids], dtype=np.intp)
        found = self.scores[rows]
        found[rows < 0] = np.nan
        return found

    def check(self, ids: Sequence[str] | None, n_documents: int, whose: object) -> None:
        """Refuse a file that cannot be about the documents of `whose`."""
        if ids is None or self.row is None:
            if len(self.scores) != n_documents:
                raise DataError(
                    f"must have a row for each of the {n_documents:,} documents of {whose}, or "
                    f"ids, but {self.path} has {len(self.scores):,} rows"
                )
        elif not any(one in self.row for one in ids):
            raise DataError(
                f"must have ids of {whose}, such as {ids[0]!r}, but the ids of {self.path} are "
                f"others, such as {next(iter(self.row))!r}"
            )


class Opinion(NamedTuple):
    """An opinion on documents and, where it is known, on training documents."""

    file: OpinionFile
    documents: Rows
    training: Rows | None

    @property
    def name(self) -> str:
        """The name that the user has given."""
        return self.file.name

    def check(self, ids: Sequence[str] | None, n_documents: int, whose: object) -> None:
        """Refuse a file that cannot be about these documents."""
        with _named(self.file):
            self.documents.check(ids, n_documents, whose)

    def on_training(self, ids: Sequence[str] | None, n_documents: int, whose: object) -> Array:
        """Return the opinion on the training documents, which must be there."""
        rows = self.training
        if rows is None:
            raise ValueError(f"opinion {self.name!r} must have training documents, but has none")
        with _named(self.file):
            rows.check(ids, n_documents, whose)
        return rows.of(ids, n_documents)


def read_opinion(
    file: OpinionFile,
    classes: Sequence[str],
    task: str,
    none_class: str | None = None,
    **columns: Any,
) -> Opinion:
    """Read the files of an opinion on these classes; `columns` are names of columns."""
    with _named(file):
        raw = _raw(file.documents, None, classes, none_class, columns)
        own = _rows(raw, task, classes)
        if file.training is None:
            return Opinion(file, own, None)
        kind = None if raw.form == ONE_CLASS else raw.kind
        known = _raw(file.training, kind, classes, none_class, columns)
        return Opinion(file, own, _rows(known, task, classes))


def read_opinions(
    files: Iterable[OpinionFile],
    classes: Sequence[str],
    wanted: WantedTask,
    task: str,
    columns: dict[str, Any],
    *,
    trained: bool,
) -> tuple[Opinion, ...]:
    """Read the files of all opinions; without training documents, there is one file for each."""
    for file in files:
        if file.training is not None and not trained:
            raise DataError(
                f"{file}: {file.training} is of training documents, but there are none: leave it "
                "out, or give their scores and true labels with --oof-scores and --train-labels, "
                "or with --known"
            )
    return tuple(read_opinion(one, classes, task, wanted.none_class, **columns) for one in files)


def _raw(
    path: Path,
    kind: str | None,
    classes: Sequence[str],
    none_class: str | None,
    columns: dict[str, Any],
) -> RawPredictions:
    """Read a file; numbers whose kind is not clear are of the likely kind."""
    try:
        raw = read_raw(path, kind, classes, **columns)
    except UnclearKindError as error:
        raw = read_raw(path, error.likely, classes, **columns)
    lacking = [name for name in classes if name not in raw.classes]
    if raw.form == WIDE and lacking and raw.ignored:
        raise DataError(
            f"{path} must have a column for each class, but has none of {lacking[0]!r}; its column "
            f"{raw.ignored[0]!r} is no class"
        )
    return raw.with_none_class(none_class)


def _rows(raw: RawPredictions, task: str, classes: Sequence[str]) -> Rows:
    if task == SINGLE_LABEL and not _has_one_each(raw):
        task = MULTI_LABEL  # as numbers of each class on its own
        missing = _without_label(raw)
    else:
        missing = np.zeros(len(raw), dtype=np.bool_)
    numbers = raw.values is not None
    scores = np.array(table_of(raw, MULTI_LABEL if numbers else task, classes).scores)
    scores[missing] = np.nan
    row = None if raw.ids is None else {identity: i for i, identity in enumerate(raw.ids)}
    return Rows(raw.path, scores, row)


def _has_one_each(raw: RawPredictions) -> bool:
    """Whether every label that was given is one for its document."""
    if raw.values is not None:
        return raw.kind != LABELS or bool((np.nansum(raw.values, axis=1) == 1.0).all())
    voters = raw.votes if raw.votes is not None else [raw.labels or []]
    return all(names is None or len(names) == 1 for voter in voters for names in voter)


def _without_label(raw: RawPredictions) -> NDArray[np.bool_]:
    if raw.values is not None:
        return np.asarray(np.nansum(raw.values, axis=1) == 0.0)
    voters = raw.votes if raw.votes is not None else [raw.labels or []]
    return np.array([not any(voter[i] for voter in voters) for i in range(len(raw))])


@contextmanager
def _named(file: OpinionFile) -> Iterator[None]:
    """Let errors name the option."""
    try:
        yield
    except (DataError, ValueError) as error:
        raise DataError(f"{file}: {error}") from error
