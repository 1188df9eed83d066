"""Features of documents for the computation of similarities: float32, rows of length 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.inputs import refuse_masked

Floats = NDArray[np.float32]

_BLOCK_ROWS = 1 << 14


def is_sparse(value: Any) -> bool:
    """Return whether a value is a sparse matrix or array of SciPy."""
    return bool(sparse.issparse(value))


def as_features(value: Any, name: str) -> Any:
    """Return float32 features, documents x features: CSR if they are sparse, else an array.

    An array of float32, also one that is mapped from a file, is not copied.
    """
    refuse_masked(value, name)
    if is_sparse(value):
        matrix: Any = sparse.csr_array(value, dtype=np.float32)
    else:
        matrix = np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)
        if matrix.ndim != 2:
            raise ValueError(
                f"{name} must have two dimensions, documents x features, "
                f"but has shape {matrix.shape}"
            )
        matrix = np.ascontiguousarray(matrix, dtype=np.float32)
    held = matrix.data if is_sparse(value) else matrix
    if not all(np.isfinite(held[rows]).all() for rows in _row_blocks(len(held))):
        raise ValueError(f"{name} must be finite, but holds NaN or infinity")
    return matrix


def stacked(parts: list[Any]) -> Any:
    """Return the features of several sets of documents, one after the other."""
    if is_sparse(parts[0]):
        return sparse.csr_array(sparse.vstack(parts))
    return np.concatenate(parts)


def lengths(features: Any) -> Floats:
    """Count the nonzero features of every document."""
    if is_sparse(features):
        if (features.data == 0).any():
            features = features.copy()
            features.eliminate_zeros()
        return np.diff(features.indptr).astype(np.float32)
    counts = [np.count_nonzero(features[rows], axis=1) for rows in _row_blocks(len(features))]
    return np.concatenate(counts or [[]]).astype(np.float32)


def normalised(features: Any) -> Any:
    """Return features with rows of length 1; rows of zeros do not change."""
    if is_sparse(features):
        squares = np.asarray(features.multiply(features).sum(axis=1), dtype=np.float64).ravel()
        inverse = _inverse_root(squares)
        return sparse.csr_array(features * inverse[:, np.newaxis])
    squares = np.einsum("ij,ij->i", features, features, dtype=np.float64)
    return features * _inverse_root(squares)[:, np.newaxis]


def _row_blocks(n: int) -> list[slice]:
    """Return slices of rows, so that temporary arrays stay small."""
    return [slice(start, start + _BLOCK_ROWS) for start in range(0, n, _BLOCK_ROWS)]


def _inverse_root(squares: NDArray[np.float64]) -> Floats:
    return np.where(squares > 0, 1.0 / np.sqrt(np.where(squares > 0, squares, 1.0)), 0.0).astype(
        np.float32
    )
