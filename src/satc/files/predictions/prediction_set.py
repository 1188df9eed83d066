"""Predictions together with what is known: one task, one order of classes, one training side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from satc.errors import DataError
from satc.files.matrices import read_labels
from satc.files.predictions.known import KnownDocuments, read_known
from satc.files.predictions.named_classes import ONE_CLASS
from satc.files.predictions.raw import ANNIF, RawPredictions
from satc.files.predictions.reading import read_raw
from satc.files.predictions.table import (
    PredictionTable,
    Threshold,
    labels_of,
    table_of,
    table_with_signs,
)
from satc.files.tasks import suggested_task
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels, indicator
from satc.training import Training


class PredictionSet(NamedTuple):
    """Predictions, and the known documents.

    Attributes
    ----------
    table
        The predictions of all documents of the file.
    unknown
        Which rows of the table are to be ranked: not those whose true labels are known.
    training
        Scores and true labels of the known documents; None if there are none.
    known
        These documents; None if there are none, or if they came as matrices.
    train_ids
        The ids of the documents of `training`, where they are known.
    """

    table: PredictionTable
    unknown: Labels
    training: Training | None
    known: KnownDocuments | None
    train_ids: tuple[str, ...] | None = None


def read_prediction_set(
    path: Path,
    kind: str | None = None,
    threshold: Threshold = None,
    task: str | None = None,
    none_class: str | None = None,
    classes: Sequence[str] | None = None,
    known: Path | None = None,
    **columns: Any,
) -> PredictionSet:
    """Read predictions and, in `known`, documents with true labels.

    Parameters are those of `read_predictions` and `read_known`. Without `task`, it is the one that
    predictions and true labels suggest together.
    """
    raw = read_raw(path, kind, classes, **columns).with_none_class(none_class)
    found = None if known is None else read_known(known, raw, classes, **columns)
    truth = None if found is None else _truth(found, none_class)
    every = _classes(raw, found, truth, classes)
    if task is None:
        task = SINGLE_LABEL if none_class is not None else _task(raw, truth, every)
    table = table_with_signs(raw, task, every, threshold)
    if found is None or truth is None:
        return PredictionSet(table, np.ones(len(raw), dtype=bool), None, None)
    scores = _known_scores(found, table, threshold, none_class)
    training = Training(scores, labels_of(truth, found.where, every, task))
    return PredictionSet(table, _unknown(table, found), training, found, found.ids)


def read_with_matrices(
    path: Path,
    oof_scores: Path,
    train_labels: Path,
    kind: str | None = None,
    threshold: Threshold = None,
    task: str | None = None,
    none_class: str | None = None,
    classes: Sequence[str] | None = None,
    **columns: Any,
) -> PredictionSet:
    """Read predictions and, of the same kind, those of training documents, which are out of fold.

    `train_labels` are the true labels of the training documents, as `read_labels` takes them.
    """
    raw = read_raw(path, kind, classes, **columns).with_none_class(none_class)
    kind = None if raw.form == ONE_CLASS else raw.kind
    oof = read_raw(oof_scores, kind, classes, **columns).with_none_class(none_class)
    complete = raw.form == oof.form and raw.form not in (ONE_CLASS, ANNIF)
    if complete and len(raw.classes) != len(oof.classes):
        raise DataError(
            f"{oof_scores} must have the {len(raw.classes)} classes of {path}, but has "
            f"{len(oof.classes)}"
        )
    every = (*raw.classes, *sorted(set(oof.classes) - set(raw.classes)))
    labels = read_labels(train_labels, every, ids=oof.ids, none_class=none_class, **columns)
    if len(labels) != len(oof):
        raise DataError(
            f"{train_labels} must have the {len(oof):,} documents of {oof_scores}, but has "
            f"{len(labels):,}"
        )
    if task is None:
        told = (raw.suggested_task or SINGLE_LABEL, suggested_task(labels))
        task = SINGLE_LABEL if told == (SINGLE_LABEL, SINGLE_LABEL) else MULTI_LABEL
    table = table_with_signs(raw, task, every, threshold)
    training = Training(table_of(oof, task, every, threshold).scores, labels)
    return PredictionSet(table, np.ones(len(raw), dtype=bool), training, None, oof.ids)


def _truth(known: KnownDocuments, none_class: str | None) -> list[tuple[str, ...]]:
    return [names or (() if none_class is None else (none_class,)) for names in known.truth]


def _classes(
    raw: RawPredictions,
    known: KnownDocuments | None,
    truth: list[tuple[str, ...]] | None,
    classes: Sequence[str] | None,
) -> tuple[str, ...]:
    """Return the classes of the predictions, then those that only the known documents name."""
    if classes is not None:
        return tuple(dict.fromkeys((*classes, *raw.classes)))
    named = set() if known is None else known.classes
    named |= {name for names in truth or () for name in names}
    return (*raw.classes, *sorted(named - set(raw.classes)))


def _task(
    raw: RawPredictions, truth: list[tuple[str, ...]] | None, classes: tuple[str, ...]
) -> str:
    """Return single-label if predictions and true labels suggest it, as far as they say."""
    told = [raw.suggested_task]
    if truth is not None and all(name in classes for names in truth for name in names):
        told.append(suggested_task(indicator(truth, classes)))
    said = [one for one in told if one is not None]
    return SINGLE_LABEL if said and set(said) == {SINGLE_LABEL} else MULTI_LABEL


def _known_scores(
    known: KnownDocuments, table: PredictionTable, threshold: Threshold, none_class: str | None
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    if known.predictions is None:
        return np.asarray(table.scores[[row for row in known.rows if row is not None]])
    own = known.predictions.with_none_class(none_class)
    return np.asarray(table_of(own, table.task, table.classes, threshold).scores)


def _unknown(table: PredictionTable, known: KnownDocuments) -> Labels:
    unknown = np.ones(len(table.scores), dtype=bool)
    unknown[[row for row in known.rows if row is not None]] = False
    if not unknown.any():
        raise DataError(
            f"{table.path} must have documents to rank, but the true labels of all are in "
            f"{known.path}"
        )
    return unknown
