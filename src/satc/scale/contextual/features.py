"""Features of documents that are stored beside the scores, read on the workers.

A vector is a list of all its numbers, or, as for terms, two lists: the numbers of the features that
are not 0, counted from 0, and their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from satc.errors import DataError

VECTOR = "satc_vector"  # the column of vectors in batches
PLACES = "satc_places"  # the numbers of the features whose values are in `VECTOR`


@dataclass(frozen=True)
class VectorReader:
    """Read vectors of `n_features` numbers."""

    n_features: int

    def of(self, rows: pa.RecordBatch | None) -> NDArray[np.float32]:
        """Return the vectors of documents; zeros for a document without one."""
        if rows is None:
            raise ValueError("vectors must be beside the documents, but are not")
        features = np.zeros((len(rows), self.n_features), dtype=np.float32)
        vectors = rows.column(VECTOR)
        lengths = _lengths(vectors)
        wrong = (lengths != self.n_features) & (lengths > 0)
        if wrong.any():
            raise DataError(
                f"vectors must have {self.n_features} numbers, as those of the training documents, "
                f"but one has {lengths[wrong][0]}"
            )
        features[lengths > 0] = np.asarray(vectors.flatten(), dtype=np.float32).reshape(
            -1, self.n_features
        )
        return features


@dataclass(frozen=True)
class TermReader:
    """Read vectors of `n_features` numbers, of which those that are not 0 are stored."""

    n_features: int

    def of(self, rows: pa.RecordBatch | None) -> Any:
        """Return the vectors of documents as a sparse array; empty rows for those without one."""
        if rows is None:
            raise ValueError("vectors must be beside the documents, but are not")
        places, values = rows.column(PLACES), rows.column(VECTOR)
        lengths = _lengths(places)
        if not np.array_equal(lengths, _lengths(values)):
            raise DataError("vectors must have as many values as indices, but one has not")
        found = np.asarray(places.flatten(), dtype=np.int64)
        if len(found) and not 0 <= found.min() <= found.max() < self.n_features:
            raise DataError(
                f"indices of vectors must be from 0 to {self.n_features - 1}, because those of "
                f"the training documents have {self.n_features} features, but one is "
                f"{found.min() if found.min() < 0 else found.max()}"
            )
        ends = np.concatenate([[0], np.cumsum(lengths)])
        numbers = np.asarray(values.flatten(), dtype=np.float64)
        features = sparse.csr_array(
            (numbers, found, ends), shape=(len(rows), self.n_features), copy=True
        )
        features.sum_duplicates()
        return features


def _lengths(lists: Any) -> NDArray[np.int64]:
    return np.asarray(lists.value_lengths().fill_null(0), dtype=np.int64)
