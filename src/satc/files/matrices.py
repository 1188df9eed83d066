"""Scores and labels as matrices, documents x classes.

Scores are read from NumPy's formats or from a Parquet file in long form: a row for each document
and class, with the columns ``document``, ``class`` and ``score``. Labels are read from NumPy's
formats, from SciPy's format of sparse matrices, or from a file of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.errors import DataError
from satc.files.archives import UNPACKED_LIMIT
from satc.files.documents import PathLike, iter_labels, read_documents
from satc.files.formats.numpy_arrays import array_errors, load_array
from satc.files.formats.parquet import open_parquet
from satc.files.labels.suggestion import suggest_label_columns
from satc.inputs import (
    MULTI_LABEL,
    Labels,
    Scores,
    as_labels,
    as_scores,
    has_signs,
    indicator,
    look_like_probabilities,
)

LONG_FORM = ("document", "class", "score")


class ScoreTable(NamedTuple):
    """Scores, with the names of their rows and columns where the file has them."""

    scores: Scores
    ids: tuple[str, ...] | None
    classes: tuple[str, ...] | None
    numbered: bool = False  # whether the ids are numbers in the file


def read_scores(path: PathLike) -> ScoreTable:
    """Read scores from a ``.npy``, ``.npz`` or ``.parquet`` file.

    A ``.npz`` file must hold a single array, or one with the name ``scores``. A Parquet file must
    be in long form and have every pair of a document and a class exactly once.
    """
    path = Path(path)
    if path.suffix == ".parquet":
        return _read_long_form(path)
    if path.suffix in (".npy", ".npz"):
        return ScoreTable(_checked(as_scores, read_array(path, ("scores",))[0], path), None, None)
    raise ValueError(f"scores must be a .npy, .npz or .parquet file, but are {str(path)!r}")


def refuse_probabilities(scores: Scores, path: object, *, stored: bool = False) -> None:
    """Refuse scores that are all from 0 to 1: by their signs, every pair would be a label.

    `stored` scores are ranked where they are, so they must be changed there.
    """
    if look_like_probabilities(scores):
        remedy = f"--predictions {path} --kind probabilities"
        if stored:
            remedy = "store their log-odds, ln(p / (1 - p)), and give those here, too"
        raise DataError(
            f"{path} must have scores below 0 for classes that are not predicted, but all are from "
            f"0 to 1; if they are probabilities: {remedy}"
        )


def refuse_without_signs(scores: Scores, path: object, task: str) -> None:
    """Refuse scores of a multi-label task if none is below 0: every pair would be a label."""
    if task == MULTI_LABEL and not has_signs(scores):
        raise DataError(
            f"{path} must have scores below 0 for classes that are not predicted, but has none; if "
            "they are percentages, divide them by 100 and give them as --predictions with --kind "
            "probabilities; --single-label if the largest score of a row is its label"
        )


class UnknownLabelError(DataError):
    """A document has a label that is not among the classes."""


def read_labels(
    path: PathLike,
    classes: Sequence[str] | None = None,
    *,
    ids: Sequence[str] | None = None,
    none_class: str | None = None,
    **columns: Any,
) -> Labels:
    """Read a matrix of labels: true where the document belongs to the class.

    Parameters
    ----------
    path
        A ``.npy`` or ``.npz`` file (dense, or a sparse matrix as SciPy saves it), or a file of
        documents with labels, which need not have texts.
    classes
        The classes of the columns. Without it, the classes of a file of documents are its labels in
        sorted order. A matrix must have as many columns as there are classes.
    ids
        The documents of the rows. Rows of a file of documents are brought into this order; without
        it, and for a matrix, rows keep the order of the file.
    none_class
        The class of documents that have no label; None to leave them without one.
    columns
        Options of `read_documents`, for a file of documents.
    """
    return read_named_labels(path, classes, ids=ids, none_class=none_class, **columns)[0]


def read_named_labels(
    path: PathLike,
    classes: Sequence[str] | None = None,
    *,
    ids: Sequence[str] | None = None,
    none_class: str | None = None,
    **columns: Any,
) -> tuple[Labels, tuple[str, ...] | None]:
    """Read what `read_labels` does, and the names of the classes; None if nothing names them."""
    path = Path(path)
    if path.suffix not in (".npy", ".npz"):
        return _labels_of_documents(path, classes, ids, none_class, columns)
    named = None if classes is None else tuple(classes)
    return _labels_of_matrix(path, classes, none_class), named


def _labels_of_matrix(path: Path, classes: Sequence[str] | None, none_class: str | None) -> Labels:
    labels = _checked(as_labels, read_array(path, ("labels",))[0], path)
    if classes is not None and labels.shape[1] != len(classes):
        raise DataError(
            f"{path} must have a column for each of the {len(classes)} classes, "
            f"but has {labels.shape[1]}"
        )
    return labels if none_class is None else _with_none_class(path, labels, classes, none_class)


def _with_none_class(
    path: Path, labels: Labels, classes: Sequence[str] | None, name: str
) -> Labels:
    """Give documents without a label the class of this name."""
    if name not in (classes or ()):
        raise DataError(
            f"{path} is a matrix, so {name!r} must be among the classes that the scores name, "
            "but is not"
        )
    filled = labels.copy()
    filled[~labels.any(axis=1), list(classes or ()).index(name)] = True
    return filled


def _labels_of_documents(
    path: Path,
    classes: Sequence[str] | None,
    ids: Sequence[str] | None,
    none_class: str | None,
    columns: dict[str, Any],
) -> tuple[Labels, tuple[str, ...]]:
    without_texts: dict[str, Any] = {**columns, "text_column": None}
    documents = read_documents(path, **without_texts).with_none_class(none_class)
    if documents.labels is None:
        raise DataError(
            f"{path} must have a column of labels, but has none"
            f"{suggest_label_columns(documents.extra)}"
        )
    names = documents.classes if classes is None else tuple(classes)
    known = set(names)
    for k, given in enumerate(documents.labels):
        unknown = [name for name in given if name not in known]
        if unknown:
            where, _ = next(islice(iter_labels(path, **columns), k, None))
            raise UnknownLabelError(
                f"{where}: document {documents.ids[k]!r} has the label {unknown[0]!r}, "
                "which is not among the classes"
            )
    labels = indicator(documents.labels, names)
    if ids is not None:
        labels = labels[_row_numbers(path, documents.ids, ids)]
    return labels, names


def _row_numbers(path: Path, found: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the row of each wanted document."""
    row = {identity: k for k, identity in enumerate(found)}
    missing = [identity for identity in wanted if identity not in row]
    if missing:
        raise DataError(
            f"{path} must have labels of every document that has scores, "
            f"but has none of {missing[0]!r}"
        )
    return [row[identity] for identity in wanted]


def read_array(path: Path, names: Sequence[str], *, dense: bool = True) -> tuple[Any, str | None]:
    """Read a ``.npy`` or ``.npz`` file; return its array and, where it has one, the array's name.

    A ``.npz`` file must hold one array, or one with the first of the `names` that it has. A sparse
    matrix of SciPy is returned as it is if `dense` is False.
    """
    with array_errors(path), path.open("rb") as file:
        loaded = load_array(file, path)
        if isinstance(loaded, np.ndarray):
            return loaded, None
        if hasattr(loaded, "toarray"):
            return (loaded.toarray() if dense else loaded), None
        return _only_array(loaded, names, path)


def _only_array(arrays: Any, names: Sequence[str], path: Path) -> tuple[Any, str]:
    keys = list(arrays)
    named = [name for name in names if name in keys]
    if not named and len(keys) != 1:
        raise DataError(
            f"{path} must hold one array, or one of the name {' or '.join(map(repr, names))}, "
            f"but holds {', '.join(map(repr, keys)) or 'none'}"
        )
    chosen = named[0] if named else keys[0]
    return arrays[chosen], chosen


def _checked(check: Callable[[Any, str], NDArray[Any]], array: Any, path: Path) -> NDArray[Any]:
    try:
        return check(array, "the matrix")
    except (ValueError, TypeError) as error:
        raise DataError(f"{path}: {error}") from error


def _read_long_form(path: Path) -> ScoreTable:
    import pyarrow as pa

    try:
        with open_parquet(path) as (file, schema, _):
            if missing := [name for name in LONG_FORM if name not in schema.names]:
                raise DataError(
                    f"{path} must have the columns {', '.join(LONG_FORM)}, "
                    f"but lacks {', '.join(missing)}"
                )
            _check_rows(file.metadata.num_rows, path)
            table = file.read(columns=list(LONG_FORM))
        encoded = [_encoded(table[name].combine_chunks()) for name in LONG_FORM[:2]]
        scores = table["score"].cast(pa.float64()).to_numpy()
    except (pa.ArrowException, UnicodeDecodeError) as error:  # a damaged column name
        raise DataError(f"{path} must be a Parquet file in long form: {error}") from error
    if any(column.null_count for column in encoded):
        raise DataError(f"{path}: document and class must be given in every row")
    try:
        ids, classes = (tuple(column.dictionary.to_pylist()) for column in encoded)
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: document and class must be UTF-8, but are not") from error
    row, column = (np.asarray(one.indices, dtype=np.int64) for one in encoded)
    _check_pairs(path, row, column, ids, classes)
    matrix = np.empty((len(ids), len(classes)))
    matrix[row, column] = scores
    numbered = pa.types.is_integer(schema.field("document").type)
    return ScoreTable(_checked(as_scores, matrix, path), ids, classes, numbered)


def _check_rows(n_rows: int, path: Path) -> None:
    """Refuse more pairs than fit into memory; packed, they can be a small file."""
    if n_rows > UNPACKED_LIMIT // 8:
        raise DataError(f"{path} unpacks to more than {UNPACKED_LIMIT:,} bytes")


def _encoded(column: Any) -> Any:
    """Return a column of names as a dictionary of texts and the place of each row in it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        return pc.dictionary_encode(column.cast(pa.string()))
    texts = column.dictionary.cast(pa.string())
    unique = pc.dictionary_encode(texts)  # a dictionary may hold a text twice
    places = pc.take(unique.indices, column.indices)
    return _in_order_of_rows(unique.dictionary, places)


def _in_order_of_rows(texts: Any, places: Any) -> Any:
    """Return the dictionary with its texts in the order in which the rows have them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    again = pc.dictionary_encode(places)
    return pa.DictionaryArray.from_arrays(again.indices, pc.take(texts, again.dictionary))


def _check_pairs(
    path: Path,
    row: NDArray[np.int64],
    column: NDArray[np.int64],
    ids: tuple[str, ...],
    classes: tuple[str, ...],
) -> None:
    pairs = np.sort(row * len(classes) + column)
    repeated = pairs[1:][pairs[1:] == pairs[:-1]]
    if repeated.size:
        i, j = divmod(int(repeated[0]), len(classes))
        raise DataError(
            f"{path} must have every pair of a document and a class once, "
            f"but has {ids[i]!r} with {classes[j]!r} more than once"
        )
    if pairs.size < len(ids) * len(classes):
        gap = int(np.flatnonzero(np.append(pairs, -1) != np.arange(pairs.size + 1))[0])
        i, j = divmod(gap, len(classes))
        raise DataError(
            f"{path} must have every pair of a document and a class, "
            f"but lacks {ids[i]!r} with {classes[j]!r}"
        )
