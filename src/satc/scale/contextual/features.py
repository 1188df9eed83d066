"""Features of documents that are stored beside the scores, read on the workers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.errors import DataError

VECTOR = "satc_vector"  # the column of vectors in batches


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
        lengths = np.asarray(vectors.value_lengths().fill_null(0), dtype=np.int64)
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
