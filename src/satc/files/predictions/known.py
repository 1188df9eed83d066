"""Documents whose true labels are known, with their predictions: `read_known`.

They take the place of out-of-fold scores, because the classifier has not been trained on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.documents import LABEL, PathLike
from satc.files.formats.rows import Row
from satc.files.labels.gathered import gather_answers, gather_classes, has_answer_columns
from satc.files.labels.suggestion import suggest_label_columns
from satc.files.predictions.annif.suggestions import annif_layout, read_suggestions
from satc.files.predictions.forms import read_form
from satc.files.predictions.kinds import LABELS
from satc.files.predictions.layout import (
    CONFIDENCES,
    IDS,
    TRUE_LABEL,
    TRUE_LABELS,
    Names,
    layout_beside_truth,
)
from satc.files.predictions.named_classes import ONE_CLASS, as_one_class
from satc.files.predictions.raw import RawPredictions
from satc.files.predictions.rows import all_rows, check_distinct, document_ids, texts_of, truth_of


@dataclass(frozen=True, eq=False)
class KnownDocuments:
    """Documents with true labels.

    Attributes
    ----------
    path, where
        The file, and the position of each document in it.
    ids, texts
        Ids and texts of the documents; None where the file has none.
    truth
        Their true labels.
    rows
        Their rows among the predictions; None for a document that is not there.
    predictions
        Their predictions in the file of true labels; None if these are looked up by `rows`.
    """

    path: Path
    where: Sequence[str]
    ids: tuple[str, ...] | None
    texts: tuple[str, ...] | None
    truth: list[tuple[str, ...]]
    rows: list[int | None]
    predictions: RawPredictions | None

    @property
    def classes(self) -> set[str]:
        """All classes that true labels and predictions name."""
        named = {name for names in self.truth for name in names}
        return named if self.predictions is None else named.union(self.predictions.classes)


def read_known(
    path: PathLike,
    predictions: RawPredictions,
    classes: Sequence[str] | None = None,
    *,
    stored: bool = False,
    **columns: Any,
) -> KnownDocuments:
    """Read documents with true labels.

    Parameters
    ----------
    path
        A file with ids and the column ``true_labels`` or ``true_label``. It has predictions in any
        form of `read_predictions` as well; if not, they are looked up by id in `predictions`, and
        the true labels may also stand in ``labels`` or ``label``. With the options `label_columns`
        and `labels_column`, they stand in a column for each class, or in several answer columns.
    predictions
        The predictions of the documents to rank.
    classes
        All classes, where the user has named them.
    stored
        Whether the predictions are stored elsewhere, and `predictions` says only of which kind they
        are. Then `rows` are not known, and the caller looks up predictions by id.
    columns
        Options of `read_documents`.
    """
    path, names = Path(path), Names(**columns)
    rows = _with_true_labels(path, all_rows(path), names)
    there = list(rows[0].values)
    truth = _truth_column(there, names, path, rows)
    own = None
    if truth in (TRUE_LABELS, TRUE_LABEL):
        own = _own_predictions(path, rows, names, predictions, classes)
    if own is None and stored:
        return _with_ids(path, rows, truth, names)
    return _known(path, rows, truth, names, predictions, own)


def _with_true_labels(path: Path, rows: list[Row], names: Names) -> list[Row]:
    """Return rows with true labels in one column, where they are in several."""
    taken = (names.id_column, *IDS, names.text_column)
    if names.label_columns is not None:
        return gather_classes(path, rows, names.label_columns, TRUE_LABELS, taken)
    if TRUE_LABELS in rows[0].values or TRUE_LABEL in rows[0].values:
        return rows
    if not has_answer_columns(path, rows[0], names.labels_column):
        return rows
    return gather_answers(path, rows, names.labels_column, TRUE_LABELS, taken)


def _known(
    path: Path,
    rows: list[Row],
    truth: str,
    names: Names,
    predictions: RawPredictions,
    own: RawPredictions | None,
) -> KnownDocuments:
    if own is not None:  # in long form, a document has several rows
        there = None if predictions.ids is None or own.ids is None else _rows(own.ids, predictions)
        every = there or [None] * len(own)
        return KnownDocuments(path, own.where, own.ids, own.texts, own.truth or [], every, own)
    found = _with_ids(path, rows, truth, names)
    if predictions.ids is None:
        raise DataError(_without_ids(predictions.path, path))
    places = _rows(found.ids or (), predictions)
    for identity, place, position in zip(found.ids or (), places, found.where, strict=True):
        if place is None:
            raise DataError(
                f"{position}: {predictions.path} must have a prediction of {identity!r}, "
                "but has none"
            )
    return replace(found, rows=places)


def _with_ids(path: Path, rows: list[Row], truth: str, names: Names) -> KnownDocuments:
    """Return documents by their ids; where their predictions are is not known."""
    there = list(rows[0].values)
    column = next((name for name in (names.id_column, *IDS) if name in there), None)
    if column is None:
        raise DataError(_without_ids(path, path))
    ids = tuple(document_ids(rows, column))
    where = [row.where for row in rows]
    check_distinct(ids, where, "ids must differ")
    text = names.text_column if names.text_column in there else None
    labels = truth_of(rows, truth, names) or []
    return KnownDocuments(path, where, ids, texts_of(rows, text), labels, [None] * len(ids), None)


def _without_ids(lacking: Path, path: Path) -> str:
    return (
        f"{lacking} must have ids, by which predictions are found, but has none: give the "
        f"predictions of the known documents in {path}, beside their true labels"
    )


def _truth_column(there: list[str], names: Names, path: Path, rows: list[Row]) -> str:
    for name in (TRUE_LABELS, TRUE_LABEL):
        if name in there:
            return name
    label = next((name for name in (names.labels_column, LABEL) if name in there), None)
    if label is None or "class" in there or any(name in there for name in CONFIDENCES):
        raise DataError(
            f"{path} must have the true labels in the column {TRUE_LABELS!r} or {TRUE_LABEL!r}, "
            f"but has {', '.join(map(repr, there))}{_suggestion(rows, names)}"
        )
    return label


def _suggestion(rows: list[Row], names: Names) -> str:
    """Name the option to use, if each class seems to have a column."""
    used = (names.id_column, *IDS, names.text_column)
    others = [name for name in rows[0].values if name not in used]
    return suggest_label_columns({name: [row.values.get(name) for row in rows] for name in others})


def _own_predictions(
    path: Path,
    rows: list[Row],
    names: Names,
    predictions: RawPredictions,
    classes: Sequence[str] | None,
) -> RawPredictions | None:
    """Read the predictions in the file of true labels; None if it has none of their kind."""
    kind = None if predictions.kind == LABELS else predictions.kind
    if (suggested := annif_layout(rows, names, kind, path)) is not None:
        own = read_suggestions(path, rows, suggested, names, classes)
    else:
        there = list(rows[0].values)
        layout = layout_beside_truth(there, names, path, kind, predictions.classes)
        if layout is None:
            return None
        own = read_form(path, rows, layout, names, classes)
    if predictions.form == ONE_CLASS:
        own = as_one_class(own)
    same = (own.confidences is None) == (predictions.confidences is None)
    if same and own.kind == predictions.kind:
        return own
    if own.ids is not None and predictions.ids is not None:
        return None  # look them up
    raise DataError(
        f"{path} must have predictions as {predictions.path} has them, {predictions.kind} in "
        f"{predictions.form}, but has {own.kind} in {own.form}"
    )


def _rows(ids: Sequence[str], predictions: RawPredictions) -> list[int | None]:
    place = {identity: i for i, identity in enumerate(predictions.ids or ())}
    return [place.get(identity) for identity in ids]
