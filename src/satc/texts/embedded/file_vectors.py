"""Vectors of documents from files, as `satc embed` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.errors import DataError
from satc.files import Documents
from satc.files.predictions.features import FeatureTable, read_features

if TYPE_CHECKING:
    from satc.texts.learner_source import LearnerSource

Vectors = NDArray[np.floating[Any]]


class FileVectors:
    """Vectors of documents from a file: by id where the file has ids, otherwise in order."""

    def __init__(self, table: FeatureTable) -> None:
        self.table = table
        ids = table.ids
        self._row = None if ids is None else {identity: i for i, identity in enumerate(ids)}

    def of(self, documents: Documents, start: int = 0) -> Vectors:
        """Return the vectors of documents; without ids, the first has the row `start`."""
        if self._row is None:
            return np.asarray(self.table.matrix[start : start + len(documents)])
        return np.asarray(self.table.matrix[[self._row[one] for one in documents.ids]])

    def check(self, ids: list[str], path: Path) -> None:
        """Refuse a file that lacks vectors of the documents of `path`."""
        if self._row is None:
            if len(self.table.matrix) != len(ids):
                raise DataError(
                    f"{self.table.path} (--embeddings) has no ids, so it must have a row for each "
                    f"of the {len(ids):,} documents of {path}, but has {len(self.table.matrix):,}"
                )
        elif missing := [one for one in ids if one not in self._row]:
            raise DataError(
                f"{self.table.path} (--embeddings) must have vectors of all documents of {path}, "
                f"but has none of {missing[0]!r}: satc embed {path} makes them"
            )

    def finish(self) -> None:
        """Do nothing: vectors of a file need no remarks."""


def read_vectors(
    source: LearnerSource, path: Path, ids: tuple[str, ...]
) -> tuple[FileVectors, Vectors]:
    """Return the vectors of the documents of a source, and those of its labelled documents."""
    own = _read(path, "--embeddings", source)
    known = _of_labelled(source, own, ids)
    if known.shape[1] != own.matrix.shape[1]:
        raise DataError(
            f"{source.train_embeddings} (--train-embeddings) must have vectors of "
            f"{own.matrix.shape[1]} numbers, as {path} has, but has {known.shape[1]}: make both "
            "with the same model"
        )
    return FileVectors(own), known


def _of_labelled(source: LearnerSource, own: FeatureTable, ids: tuple[str, ...]) -> Vectors:
    if source.train_embeddings is not None:
        given = _read(source.train_embeddings, "--train-embeddings", source)
        return np.asarray(given.of(ids, len(ids)))
    if not own.has(ids):
        raise DataError(
            f"{own.path} (--embeddings) has no vectors of all documents of {source.train}: give "
            "them as --train-embeddings, or make one Parquet file of both with satc embed "
            f"{source.train} {source.documents} -o vectors.parquet"
        )
    return np.asarray(own.of(ids, 0))


def _read(path: Path, option: str, source: LearnerSource) -> FeatureTable:
    table = read_features(path, source.columns.id_column)
    if sparse.issparse(table.matrix):
        raise DataError(f"{path} ({option}) must hold dense vectors, but holds a sparse matrix")
    return table
