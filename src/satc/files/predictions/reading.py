"""Read predictions from a file of any form: `read_predictions`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from satc.files.documents import LABELS, PathLike
from satc.files.labels.gathered import gather_answers, has_answer_columns
from satc.files.predictions.annif.suggestions import annif_layout, read_suggestions
from satc.files.predictions.forms import read_form
from satc.files.predictions.kinds import check_kind
from satc.files.predictions.layout import IDS, Names, find_layout
from satc.files.predictions.matrices import read_matrix
from satc.files.predictions.named_classes import as_one_class
from satc.files.predictions.raw import RawPredictions
from satc.files.predictions.rows import all_rows
from satc.files.predictions.table import PredictionTable, Threshold, table_with_signs
from satc.inputs import MULTI_LABEL, check_task


def read_predictions(
    path: PathLike,
    kind: str | None = None,
    threshold: Threshold = None,
    task: str | None = None,
    classes: Sequence[str] | None = None,
    **columns: Any,
) -> PredictionTable:
    """Read predictions, and return scores that make the same decisions.

    Parameters
    ----------
    path
        A ``.csv``, ``.tsv`` or ``.jsonl`` file (each also with ``.gz``), or a ``.json``, ``.xlsx``,
        ``.parquet``, ``.npy`` or ``.npz`` file. *Long form* has the columns ``document`` or
        ``id``, ``class``, and ``probability``, ``score`` or ``logit``. *Wide form* has a column
        for each class. Labels stand in ``labels`` or ``label``, with an optional ``confidence`` or
        ``probabilities``. Votes stand in several columns whose names begin with ``label_``,
        ``labels_`` or ``vote_``. Suggestions of Annif stand in ``results``, or in a folder with a
        file ``*.annif`` for each document.
    kind
        One of "scores", "probabilities", "logits", "labels", "votes"; None to find it in the names
        of the columns and in the values.
    threshold
        The smallest probability that is a label: a number, or a dictionary by class. 0.5 if None.
    task
        "multi-label" or "single-label"; None for the task that the predictions suggest.
    classes
        All classes, in the order of the columns of the result. A class that is not predicted is
        kept, a predicted class that is not among them is an error.
    columns
        Options of `read_documents`: names of the columns of ids, texts and labels. Predicted labels
        may be in several answer columns (`labels_column`); `label_columns` are not used, because
        columns per class are the wide form.

    Raises
    ------
    satc.errors.DataError
        If the file is damaged, ambiguous, or does not hold predictions; the message names the row.
    """
    raw = read_raw(path, kind, classes, **columns)
    if task is None:
        task = raw.suggested_task or MULTI_LABEL
    check_task(task)
    return table_with_signs(raw, task, raw.classes if classes is None else classes, threshold)


def read_raw(
    path: PathLike, kind: str | None = None, classes: Sequence[str] | None = None, **columns: Any
) -> RawPredictions:
    """Read predictions as they stand in the file; parameters are those of `read_predictions`."""
    path, names = Path(path), Names(**columns)
    check_kind(kind)
    if path.suffix.lower() in (".npy", ".npz"):
        return read_matrix(path, kind, classes)
    rows = all_rows(path)
    if has_answer_columns(path, rows[0], names.labels_column):
        taken = (names.id_column, *IDS, names.text_column)
        rows = gather_answers(path, rows, names.labels_column, LABELS, taken)
        names = names._replace(labels_column=LABELS)
    if (suggested := annif_layout(rows, names, kind, path)) is not None:
        return as_one_class(read_suggestions(path, rows, suggested, names, classes))
    layout = find_layout(list(rows[0].values), names, path, kind, classes)
    return as_one_class(read_form(path, rows, layout, names, classes))
