"""Predictions in NumPy's formats: a matrix, documents x classes, without names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from satc.errors import DataError
from satc.files.matrices import read_array
from satc.files.predictions.cells import Numbers
from satc.files.predictions.forms import checked_kind
from satc.files.predictions.kinds import KINDS, VOTES
from satc.files.predictions.layout import WIDE, Layout
from satc.files.predictions.raw import RawPredictions
from satc.inputs import as_scores

MATRIX = "a matrix"


def read_matrix(path: Path, kind: str | None, classes: Sequence[str] | None) -> RawPredictions:
    """Read a matrix; an array of a .npz file may have the name of its kind."""
    if kind == VOTES:
        raise DataError(f"{path} must be a file with a column for each voter, but is a matrix")
    array, name = read_array(path, (kind,) if kind else KINDS)
    try:
        values = as_scores(array, "the matrix").astype(np.float64)
    except (ValueError, TypeError) as error:
        raise DataError(f"{path}: {error}") from error
    if classes is not None and values.shape[1] != len(classes):
        raise DataError(
            f"{path} must have a column for each of the {len(classes)} classes, but has "
            f"{values.shape[1]}"
        )
    where = [f"{path}, row {i}" for i in range(1, len(values) + 1)]
    layout = Layout(WIDE, kind or (name if name in KINDS else None), None, None, None)
    found = checked_kind(values, layout, Numbers(), where, path)
    names = classes or [f"class {j}" for j in range(1, values.shape[1] + 1)]
    precision = array.dtype if array.dtype.kind == "f" else np.float64
    return RawPredictions(
        path, MATRIX, found, tuple(names), where, values=values, precision=precision
    )
