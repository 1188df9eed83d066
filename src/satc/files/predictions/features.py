"""Features of documents, such as embeddings, from NumPy's and SciPy's formats or from Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from satc.errors import DataError
from satc.files.archives import UNPACKED_LIMIT
from satc.files.documents import PathLike
from satc.files.formats.parquet import open_parquet
from satc.files.formats.parquet_limits import check_numbers, check_texts
from satc.files.matrices import read_array

IDS = ("id", "document")  # columns of ids
TERMS = ("indices", "values")  # columns of vectors that are mostly 0: features that are not
_MOST_FEATURES = 2**31 - 1


class FeatureTable(NamedTuple):
    """Features, documents x features, with the ids of the documents where the file has them."""

    path: Path
    matrix: Any
    ids: tuple[str, ...] | None
    are_terms: bool = False  # lists of indices and values, which do not say how many features are

    def of(self, ids: Sequence[str] | None, n_documents: int) -> Any:
        """Return the features of documents: by their ids where both have them, else in order."""
        if ids is not None and self.ids is not None:
            return self.matrix[self._rows(ids)]
        if self.matrix.shape[0] != n_documents:
            raise DataError(
                f"{self.path} must have a row for each of the {n_documents:,} documents, but has "
                f"{self.matrix.shape[0]:,}"
            )
        return self.matrix

    def has(self, ids: Sequence[str] | None) -> bool:
        """Whether all these documents have features here, by their ids."""
        return ids is not None and self.ids is not None and set(ids) <= set(self.ids)

    def widened(self, n_features: int) -> FeatureTable:
        """Return the table with at least so many features, if the file leaves their number open."""
        if not self.are_terms or n_features <= self.matrix.shape[1]:
            return self
        matrix = self.matrix.copy()
        matrix.resize((matrix.shape[0], n_features))
        return self._replace(matrix=matrix)

    def _rows(self, ids: Sequence[str]) -> list[int]:
        place = {identity: i for i, identity in enumerate(self.ids or ())}
        if missing := [identity for identity in ids if identity not in place]:
            raise DataError(f"{self.path} must have features of {missing[0]!r}, but has none")
        return [place[identity] for identity in ids]


def read_features(path: PathLike, id_column: str = "id") -> FeatureTable:
    """Read features.

    Parameters
    ----------
    path
        A ``.npy`` file, an ``.npz`` file (dense with one array or one named ``features``, or a
        sparse matrix as SciPy saves it), or a ``.parquet`` file with a column of vectors, with a
        column for each feature, or with two columns of lists: ``indices``, the features that are
        not 0, counted from 0, and ``values``. A Parquet file may have ids in the column
        `id_column`, ``id`` or ``document``.
    id_column
        The name of the column of ids.
    """
    path = Path(path)
    if path.suffix == ".parquet":
        return _read_parquet(path, id_column)
    if path.suffix not in (".npy", ".npz"):
        raise ValueError(f"features must be a .npy, .npz or .parquet file, but are {str(path)!r}")
    matrix, _ = read_array(path, ("features",), dense=False)
    return FeatureTable(path, _checked(matrix, path), None)


def read_both_features(
    path: PathLike, train_path: PathLike, id_column: str = "id"
) -> tuple[FeatureTable, FeatureTable]:
    """Read features of documents and of training documents.

    Lists of indices and values do not say how many features there are, so both get as many.
    """
    own, known = read_features(path, id_column), read_features(train_path, id_column)
    return own.widened(known.matrix.shape[1]), known.widened(own.matrix.shape[1])


def _checked(matrix: Any, path: Path) -> Any:
    """Return a matrix of finite numbers with two dimensions; a sparse one has compressed rows."""
    from scipy import sparse

    is_sparse = sparse.issparse(matrix)
    values: Any = matrix.tocsr() if is_sparse else np.asarray(matrix)
    if values.ndim != 2 or 0 in values.shape or values.dtype.kind not in "fiub":
        raise DataError(
            f"{path} must be a matrix of numbers, documents x features, but has shape "
            f"{values.shape} and holds {values.dtype}"
        )
    if not np.isfinite(values.data if is_sparse else values).all():
        raise DataError(f"{path} must hold finite numbers, but does not")
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def _read_parquet(path: Path, id_column: str) -> FeatureTable:
    import pyarrow as pa

    try:
        limit = max(UNPACKED_LIMIT, 4 * path.stat().st_size)
        with open_parquet(path, limit) as (file, _, _):
            check_numbers(file, path, limit)
            table = file.read()
        name = next((one for one in (id_column, *IDS) if one in table.column_names), None)
        ids = None
        if name is not None:
            check_texts(table[name], path, limit)
            ids = _ids(table[name].cast(pa.string()), path)
        left = [one for one in table.column_names if one != name]
        are_terms = set(left) == set(TERMS)
        matrix = _of_terms(table, path) if are_terms else _matrix(table, left, path)
        return FeatureTable(path, _checked(matrix, path), ids, are_terms)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise DataError(f"{path} must be a Parquet file of features: {error}") from error


def _ids(column: Any, path: Path) -> tuple[str, ...]:
    found = tuple(column.to_pylist())
    if None in found or len(set(found)) < len(found):
        raise DataError(f"{path} must have a different id in every row, but has not")
    return found


def _matrix(table: Any, names: list[str], path: Path) -> Any:
    """Return one column of vectors, or all columns of numbers, as a matrix."""
    import pyarrow.types as types

    kinds = {name: table.schema.field(name).type for name in names}
    vectors = [
        n for n, kind in kinds.items() if types.is_list(kind) or types.is_fixed_size_list(kind)
    ]
    if len(vectors) == 1:
        return _of_vectors(table[vectors[0]], vectors[0], path)
    numbers = [n for n, k in kinds.items() if types.is_integer(k) or types.is_floating(k)]
    if vectors or not numbers or len(numbers) < len(names):
        raise DataError(
            f"{path} must have one column of vectors, columns of numbers only, or the lists "
            f"'indices' and 'values', but has {', '.join(map(repr, names)) or 'none'}"
        )
    columns = [table[name].to_numpy() for name in numbers]  # NaN for null
    return np.column_stack(columns)


def _of_vectors(column: Any, name: str, path: Path) -> Any:
    """Return a column of vectors as a matrix, from Arrow's buffers and without Python objects.

    Vectors of a fixed size keep their type, as float32; others become float64.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column)
    length = (lengths[0].as_py() or 0) if len(column) else 0
    _check_rows(pc.fill_null(pc.not_equal(lengths, length), True), 1, length, name, path)
    values = pc.list_flatten(column)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.uint8())
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        raise DataError(f"{path} must be a matrix of numbers, but {name!r} holds {values.type}")
    _check_rows(pc.is_null(values), length, length, name, path)
    matrix = values.to_numpy().reshape(len(column), length)
    return matrix if pa.types.is_fixed_size_list(column.type) else matrix.astype(np.float64)


def _of_terms(table: Any, path: Path) -> Any:
    """Return columns of indices and values as a sparse matrix."""
    from scipy import sparse

    places, values = (_flat_list(table[name], name, path) for name in TERMS)
    n_places, n_values = (_lengths(table[name]) for name in TERMS)
    if (wrong := np.flatnonzero(n_places != n_values)).size:
        raise DataError(
            f"{path}, row {wrong[0] + 1}: 'indices' and 'values' must be of the same length, but "
            f"have {n_places[wrong[0]]} and {n_values[wrong[0]]}"
        )
    if places.dtype.kind not in "iu" or (places < 0).any() or (places >= _MOST_FEATURES).any():
        raise DataError(
            f"{path}: 'indices' must be whole numbers from 0 to {_MOST_FEATURES - 1:,}, but are not"
        )
    n_features = int(places.max()) + 1 if len(places) else 1
    ends = np.concatenate([[0], np.cumsum(n_places)])
    matrix = sparse.csr_array((values, places, ends), shape=(len(n_places), n_features))
    matrix.sum_duplicates()
    return matrix


def _lengths(lists: Any) -> Any:
    import pyarrow.compute as pc

    return pc.list_value_length(lists).to_numpy()


def _flat_list(column: Any, name: str, path: Path) -> Any:
    """Return the numbers of all lists in a column, one after another."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type)):
        raise DataError(f"{path}: {name!r} must be a column of lists, but holds {column.type}")
    values = pc.list_flatten(column)
    if column.null_count or values.null_count:
        raise DataError(f"{path}: {name!r} must be a list of numbers in every row, but is not")
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        raise DataError(f"{path}: {name!r} must hold numbers, but holds {values.type}")
    return values.to_numpy()


def _check_rows(wrong: Any, per_row: int, length: int, name: str, path: Path) -> None:
    """Refuse the first value that is wrong; a row of the file has `per_row` of them."""
    import pyarrow.compute as pc

    if (first := pc.index(wrong, True).as_py()) >= 0:
        raise DataError(
            f"{path}, row {first // per_row + 1}: {name!r} must be a vector of {length} numbers, "
            "as in row 1, but is not"
        )
