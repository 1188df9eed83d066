"""What a file of predictions is understood to hold: kind, documents, classes, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from satc.errors import DataError
from satc.files.formats.xlsx.positions import split_sheet
from satc.files.predictions.reading import read_predictions
from satc.files.preview.summary import Summary
from satc.inputs import SINGLE_LABEL

MOST_BYTES = 30 << 20  # of a file that is read for a preview: all of it goes into memory
_PACKED = (".gz", ".xlsx", ".xlsm", ".parquet", ".npz")  # unpacks to several times its size


class PredictedSummary(NamedTuple):
    """Counts of a file of predictions, the kind of its predictions ("" if not known), its task."""

    summary: Summary
    kind: str = ""
    task: str | None = None


def summarise_predictions(
    path: Path,
    *,
    n_bytes: int,
    kind: str | None = None,
    threshold: float | None = None,
    task: str | None = None,
    classes: Sequence[str] | None = None,
    **columns: Any,
) -> PredictedSummary:
    """Count the documents and predicted labels; the arguments are those of `read_predictions`.

    A file of more than `MOST_BYTES`, or a sixth of them if it is packed, is not read.
    """
    packed = split_sheet(path)[0].suffix.lower() in _PACKED
    if n_bytes * (6 if packed else 1) > MOST_BYTES:
        return PredictedSummary(Summary(complete=False))
    try:
        table = read_predictions(path, kind, threshold, task, classes, **columns)
    except DataError as error:
        return PredictedSummary(Summary(complete=False, faults=[str(error)]))
    labels = table.scores >= 0
    if table.task == SINGLE_LABEL:
        labels = np.zeros(table.scores.shape, dtype=bool)
        labels[np.arange(len(labels)), table.scores.argmax(axis=1)] = True
    n_labels = Counter(labels.sum(axis=1).tolist())
    counts = Counter(dict(zip(table.classes, labels.sum(axis=0).tolist(), strict=True)))
    summary = Summary(len(labels), n_labels=n_labels, classes=counts)
    return PredictedSummary(summary, table.kind, table.task)
