"""From the predictions of a file to scores: `PredictionTable`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.errors import DataError
from satc.files.predictions.class_files import Thresholds
from satc.files.predictions.kinds import LABELS, LOGITS, PROBABILITIES, SCORES
from satc.files.predictions.layout import WIDE
from satc.files.predictions.named_classes import ONE_CLASS
from satc.files.predictions.raw import NameSets, RawPredictions
from satc.inputs import (
    MULTI_LABEL,
    NO_SIGN,
    SINGLE_LABEL,
    Labels,
    indicator,
    off_sums,
    sum_tolerance,
)
from satc.predictions import (
    from_confidences,
    from_labels,
    from_logits,
    from_probabilities,
    from_votes,
)
from satc.predictions.probabilities import fill_unnamed

Array = NDArray[np.float64]
_SHOWN = 10  # names of columns in a line
Threshold = float | Mapping[str, float] | None


class PredictionTable(NamedTuple):
    """Scores of documents, made from predictions of any kind.

    Attributes
    ----------
    path, kind, form
        The file, the kind of its predictions, and its form in words.
    classes, scores
        Names of the classes, and scores, documents x classes.
    task
        "multi-label" or "single-label".
    ids, texts
        Ids and texts of the documents; None where the file has none.
    ignored
        Columns that are not read.
    """

    path: Path
    kind: str
    form: str
    classes: tuple[str, ...]
    scores: Array
    task: str
    ids: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()

    def describe(self) -> str:
        """Say in one line what the file holds."""
        what = f"{self.kind} of {len(self.classes):,} classes, {self.form}"
        if self.kind == LABELS and self.form.startswith(LABELS):
            what = f"{self.form}, {len(self.classes):,} classes"
        other = f"; columns that are {self._not_read()}" if self.ignored else ""
        return f"{self.path}: {what}, {len(self.scores):,} documents{other}"

    def _not_read(self) -> str:
        shown, more = self.ignored[:_SHOWN], len(self.ignored) - _SHOWN
        why = "no classes" if self.form == WIDE else "not read"
        return f"{why}: {', '.join(shown)}" + (f" and {more} more" if more > 0 else "")


def table_of(
    raw: RawPredictions, task: str, classes: Sequence[str], threshold: Threshold = None
) -> PredictionTable:
    """Return the scores of predictions; `classes` must hold all that the predictions name."""
    if task == SINGLE_LABEL and len(classes) < 2:
        raise DataError(
            f"{raw.path} must have two classes or more for a single-label task, but has "
            f"{len(classes)}"
        )
    if threshold is not None and raw.form == ONE_CLASS:
        raise DataError(
            f"{raw.path} names one class for each document, which is its label, so it takes no "
            "threshold: name all classes of each document, or leave --threshold out"
        )
    if threshold is not None and raw.kind not in (PROBABILITIES, LOGITS):
        raise DataError(f"{raw.path} has {raw.kind}: a threshold is for probabilities and logits")
    scores = _scores(raw, task, list(classes), threshold)
    every = tuple(classes)
    return PredictionTable(
        raw.path, raw.kind, raw.form, every, scores, task, raw.ids, raw.texts, raw.ignored
    )


def table_with_signs(
    raw: RawPredictions, task: str, classes: Sequence[str], threshold: Threshold = None
) -> PredictionTable:
    """Return the scores of predictions; refuse numbers by which every pair would be a label."""
    table = table_of(raw, task, classes, threshold)
    given = raw.kind in (SCORES, LOGITS) and task == MULTI_LABEL
    if given and np.nanmin(np.asarray(raw.values)) >= -NO_SIGN and (table.scores >= 0.0).any():
        largest = np.nanmax(np.asarray(raw.values))
        raise DataError(
            f"{raw.path} must have {raw.kind} below 0 for classes that are not predicted, but has "
            f"none: {_without_signs(largest)}; --single-label if the largest of a row is its label"
        )
    return table


def _without_signs(largest: float) -> str:
    """Say what numbers without a negative one may be."""
    if 1.0 + NO_SIGN < largest <= 100.0:
        return "percentages need percent signs (80%), or divide by 100, and --kind probabilities"
    return "if they are probabilities, from 0 to 1, --kind probabilities"


def _scores(raw: RawPredictions, task: str, classes: list[str], threshold: Threshold) -> Array:
    if raw.votes is not None:
        for voter in raw.votes:
            check_one_each(voter, raw.where, task)
        return from_votes(_voters(raw.votes), classes, task=task)
    if raw.labels is not None:
        check_one_each(raw.labels, raw.where, task)
        if raw.confidences is None:
            return from_labels(raw.labels, classes, task=task)
        _check_confidences(raw, task)
        return from_confidences(raw.labels, raw.confidences, classes, task=task)
    return _of_numbers(raw, task, classes, threshold)


def _voters(votes: list[NameSets]) -> list[NameSets]:
    """Leave out voters who have seen nothing."""
    return [voter for voter in votes if any(one is not None for one in voter)]


def _of_numbers(raw: RawPredictions, task: str, classes: list[str], threshold: Threshold) -> Array:
    values = _in_order(raw, classes)
    if raw.kind == LABELS:
        labels: Labels = np.nan_to_num(values) == 1.0
        _check_counts(labels.sum(axis=1), raw.where, task)
        return np.where(labels, 1.0, -1.0)
    if raw.kind == PROBABILITIES:
        values = fill_unnamed(values, task)
        if task == SINGLE_LABEL:
            _check_sums(values, raw.where)
        cuts = np.asarray(_cuts(raw, task, classes, threshold), dtype=raw.precision)
        return from_probabilities(values, threshold=cuts.astype(np.float64), task=task)
    least = np.nanmin(values)
    values = np.where(np.isnan(values), min(float(least), -1.0), values)  # never predicted
    if raw.kind == SCORES:
        return values
    return from_logits(values, threshold=_cuts(raw, task, classes, threshold), task=task)


def _in_order(raw: RawPredictions, classes: list[str]) -> Array:
    """Return the numbers in the order of the classes; NaN for a class that the file lacks."""
    given = np.asarray(raw.values)
    column = {name: j for j, name in enumerate(raw.classes)}
    values = np.full((len(given), len(classes)), np.nan)
    for j, name in enumerate(classes):
        if name in column:
            values[:, j] = given[:, column[name]]
    return values


def _cuts(raw: RawPredictions, task: str, classes: list[str], threshold: Threshold) -> Any:
    """Return the threshold, or one for each class; 0.5 where none is named."""
    if threshold is not None and task == SINGLE_LABEL:
        raise DataError(
            f"{raw.path} has one label per document, the most probable class, so it takes no "
            "threshold: --multi-label if a document has any number of labels"
        )
    if not isinstance(threshold, Mapping):
        return 0.5 if threshold is None else threshold
    if unknown := [name for name in threshold if name not in classes]:
        origin = f"{threshold.path}: " if isinstance(threshold, Thresholds) else ""
        raise DataError(
            f"{origin}thresholds must be of the classes of {raw.path}, but one is of {unknown[0]!r}"
        )
    return [threshold.get(name, 0.5) for name in classes]


def check_one_each(sets: Sequence[tuple[str, ...] | None], where: Sequence[str], task: str) -> None:
    """Refuse documents without exactly one label in a single-label task; None is not checked."""
    counts = np.array([1 if names is None else len(names) for names in sets])
    _check_counts(counts, where, task)


def _check_counts(counts: NDArray[np.int64], where: Sequence[str], task: str) -> None:
    if task == SINGLE_LABEL and (counts != 1).any():
        i = int(np.flatnonzero(counts != 1)[0])
        raise DataError(
            f"{where[i]} must have exactly one label, but has {counts[i] or 'none'}; --multi-label "
            "allows any number"
        )


def _check_sums(values: Array, where: Sequence[str]) -> None:
    if len(wrong := off_sums(values)):
        i = int(wrong[0])
        raise DataError(
            f"{where[i]}: probabilities must sum to 1 in a single-label task, but sum to "
            f"{values[i].sum():.4g}; --multi-label allows any number of labels"
        )


def _check_confidences(raw: RawPredictions, task: str) -> None:
    """Refuse probabilities of classes that sum to more than 1 in a single-label task."""
    if task == MULTI_LABEL:
        return
    for where, one in zip(raw.where, raw.confidences or (), strict=True):
        named = list(one.values()) if isinstance(one, dict) else []
        complete = len(named) == len(raw.classes)
        total = sum(named)
        tolerance = sum_tolerance(np.array([named])) if named else 0.0
        if total > 1.0 + tolerance or (complete and total < 1.0 - tolerance):
            raise DataError(
                f"{where}: probabilities must sum to 1 in a single-label task, but sum to "
                f"{total:.4g}; --multi-label allows any number of labels"
            )


def labels_of(
    truth: Sequence[tuple[str, ...]], where: Sequence[str], classes: Sequence[str], task: str
) -> Labels:
    """Return true labels as a matrix; a label that is no class is refused with its row."""
    known = set(classes)
    for names, position in zip(truth, where, strict=True):
        if unknown := [name for name in names if name not in known]:
            raise DataError(f"{position}: {unknown[0]!r} must be among the classes, but is not")
    check_one_each(truth, where, task)
    return indicator(truth, classes)
