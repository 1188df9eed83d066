"""Documents as a saved dataset of Hugging Face's `datasets`, and decisions from such a dataset.

A saved dataset is a directory. Labels are lists of `ClassLabel` if the classes are given, else of
strings; in a single-label task, each is one `ClassLabel`, or one string. Nothing here touches the
network, and the library's cache goes to a temporary directory.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from satc.errors import DataError, MissingExtraError
from satc.files import Documents, fields
from satc.files.atomic import writing_errors
from satc.files.documents import LABEL, LABELS
from satc.files.exchange.columns import SEVERAL, Layout, row_of
from satc.files.exchange.exported_document import ExportedDocument
from satc.files.exchange.imported_decision import ImportedDecision, decision_of_row
from satc.files.exchange.spool import Spool, spool_rows
from satc.files.formats.rows import Row
from satc.files.id_index import IdIndex

BATCH_ROWS = 1_000
# Errors of the library for files that it did not save.
_DAMAGE = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError)


def write_dataset(
    documents: Iterable[ExportedDocument],
    path: Path,
    classes: Sequence[str] | None = None,
    layout: Layout = SEVERAL,
) -> int:
    """Write a directory that `datasets.load_from_disk` reads; return the number of documents.

    Parameters
    ----------
    documents
        The documents; the iterator is read once.
    path
        The directory, which must not exist yet.
    classes
        All names that labels may have; a label is stored as its position among them.
    layout
        The columns of labels, which hold lists or one label each.
    """
    if path.exists():
        raise DataError(f"{path} must not exist yet, but does")
    with writing_errors(path), ExitStack() as stack:
        temporary = stack.enter_context(
            tempfile.TemporaryDirectory(dir=path.parent, prefix=".satc-")
        )
        library = stack.enter_context(_library())
        rows = (row_of(one, layout) for one in documents)
        spool = stack.enter_context(spool_rows(rows, path.parent, layout))
        _write_arrow(spool, f"{temporary}/rows.arrow", classes, layout, library)
        dataset = library.Dataset.from_file(f"{temporary}/rows.arrow")
        # Without num_shards, an empty dataset has no file and cannot be loaded.
        dataset.save_to_disk(f"{temporary}/dataset", num_shards=None if len(dataset) else 1)
        os.replace(f"{temporary}/dataset", path)
        return spool.count


def read_dataset(path: Path) -> Iterator[ImportedDecision]:
    """Yield the decisions of a saved dataset, by the rules of `tables.read_decisions`."""
    for row in _rows(path):
        decision = decision_of_row(row)
        if decision is not None:
            yield decision


def iter_dataset_documents(
    path: Path,
    *,
    batch_size: int = 10_000,
    id_column: str = "id",
    text_column: str = "text",
    labels_column: str = LABELS,
) -> Iterator[Documents]:
    """Read the documents of a saved dataset in batches, like `satc.files.iter_documents`.

    If there is no column ``labels``, a column ``label`` is read in its place.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, but is {batch_size}")
    return _in_batches(path, batch_size, (id_column, text_column, labels_column))


def _in_batches(path: Path, size: int, columns: tuple[str, str, str]) -> Iterator[Documents]:
    rows, index = _rows(path), IdIndex()
    while batch := list(islice(rows, size)):
        yield _documents(batch, columns, index)
    if not len(index):
        raise DataError(f"{path} must hold at least one document, but holds none")


def _write_arrow(
    spool: Spool, target: str, classes: Sequence[str] | None, layout: Layout, library: Any
) -> None:
    features = library.Features.from_arrow_schema(spool.schema)
    columns = [name for name in layout.label_columns if name in spool.schema.names]
    if classes is None:
        columns = []
    for name in columns:
        kind = library.ClassLabel(names=list(classes or ()))
        features[name] = kind if layout.is_single else library.Sequence(kind)
    writer = import_module("datasets.arrow_writer").ArrowWriter(features=features, path=target)
    with writer:
        writer.write_table(features.arrow_schema.empty_table())
        for batch in spool.batches():
            table = _number_labels(batch, columns, list(classes or ()))
            writer.write_table(table.cast(features.arrow_schema))
        writer.finalize()


def _number_labels(batch: Any, columns: Sequence[str], classes: list[str]) -> Any:
    """Replace the names of labels by their numbers."""
    import pyarrow as pa

    table = pa.Table.from_batches([batch])
    for name in columns:
        column = batch.column(name)
        if pa.types.is_list(column.type):
            numbers = _numbers(column.values, classes)
            column = pa.ListArray.from_arrays(column.offsets, numbers)
        else:
            column = _numbers(column, classes)
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def _numbers(names: Any, classes: list[str]) -> Any:
    """Return the position of each name among the classes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.index_in(names, pa.array(classes, pa.string()))
    if numbers.null_count:
        unknown = names[pc.index(numbers.is_null(), True).as_py()].as_py()
        raise ValueError(f"classes must hold every label, but lack {unknown!r}")
    return numbers.cast(pa.int64())


def _rows(path: Path) -> Iterator[Row]:
    if not path.is_dir():
        raise DataError(f"{path} must be a directory that `datasets` saved, but is none")
    with _dataset_errors(path):
        with _library() as library:
            loaded = library.load_from_disk(str(path.resolve()))
        splits = loaded.items() if isinstance(loaded, dict) else [(None, loaded)]
        for split, dataset in splits:
            origin = str(path) if split is None else f"{path}, split {split}"
            for number, values in enumerate(_values(dataset), start=1):
                yield Row(f"{origin}, row {number}", values)


@contextmanager
def _dataset_errors(path: Path) -> Iterator[None]:
    """Turn errors of the library into a `DataError` that names the directory."""
    import pyarrow as pa

    try:
        yield
    except (*_DAMAGE, RecursionError, pa.ArrowException) as error:
        raise DataError(f"{path} must be a saved dataset, but is damaged: {error}") from error


def _values(dataset: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows as stored; only the numbers of labels are replaced by names.

    Arrow trusts the places of texts and lists in its files, so they are checked first: one that is
    out of range would end the process.
    """
    names = {name: kind.names for name, kind in _class_labels(dataset.features)}
    for table in dataset.with_format("arrow").iter(batch_size=BATCH_ROWS):
        table.validate(full=True)
        for values in table.to_pylist():
            yield {name: _name_labels(value, names.get(name)) for name, value in values.items()}


def _class_labels(features: Any) -> Iterator[tuple[str, Any]]:
    for name, feature in features.items():
        kind = getattr(feature, "feature", feature)
        if hasattr(kind, "int2str"):
            yield name, kind


def _name_labels(value: Any, names: list[str] | None) -> Any:
    if names is None or value is None:
        return value
    numbers = value if isinstance(value, list) else [value]  # a single label is a list of one
    known = [number for number in numbers if number is not None and 0 <= number < len(names)]
    return [names[number] for number in known] if len(known) == len(numbers) else numbers


def _documents(batch: list[Row], columns: tuple[str, str, str], index: IdIndex) -> Documents:
    id_column, text_column, labels_column = columns
    if labels_column == LABELS and LABELS not in batch[0].values:
        labels_column = LABEL
    ids, texts, labels = [], [], []
    for where, values in batch:
        found = fields.document_id(fields.required(values, id_column, where), id_column, where)
        if index.line(found) is not None:
            raise DataError(f"{where}: {id_column!r} must differ from all others, but is {found!r}")
        index.add(found, len(index) + 1)
        ids.append(found)
        texts.append(fields.text(fields.required(values, text_column, where), text_column, where))
        if labels_column in values:
            found_labels = values[labels_column]
            if labels_column == LABEL and isinstance(found_labels, str):
                found_labels = [found_labels]
            labels.append(fields.label_names(found_labels, labels_column, where))
    used = (id_column, text_column, labels_column)
    names = [name for name in batch[0].values if name not in used]
    return Documents(
        tuple(ids),
        tuple(texts),
        tuple(labels) if labels else None,
        {name: tuple(values[name] for _, values in batch) for name in names},
    )


@contextmanager
def _library() -> Iterator[Any]:
    """Import the library; in the block it is offline, without progress bars or a lasting cache."""
    try:
        library: Any = import_module("datasets")
    except ImportError:
        raise MissingExtraError("a Hugging Face dataset", "exchange") from None
    config = library.config
    with tempfile.TemporaryDirectory() as cache:
        settings = {"HF_HUB_OFFLINE": True, "HF_DATASETS_CACHE": Path(cache)}
        before = {name: getattr(config, name) for name in settings}
        silent = library.are_progress_bars_disabled()
        try:
            _set(config, settings)
            library.disable_progress_bars()
            yield library
        finally:
            _set(config, before)
            if not silent:
                library.enable_progress_bars()


def _set(config: Any, settings: dict[str, Any]) -> None:
    for name, value in settings.items():
        setattr(config, name, value)
