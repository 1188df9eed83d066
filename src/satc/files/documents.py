"""Documents in users' files: `id`, `text` and, where known, `labels`; other columns are kept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from satc.errors import DataError
from satc.files import fields
from satc.files.faults import OnFault, raise_fault
from satc.files.formats.reader import read_rows
from satc.files.formats.rows import Row
from satc.files.id_index import IdIndex
from satc.files.labels.cells import SEPARATOR
from satc.files.labels.column_names import Wanted
from satc.files.labels.one_column import LABEL, LABELS
from satc.files.labels.readers import LabelReader, label_reader

__all__ = [
    "LABEL",
    "LABELS",
    "Documents",
    "PathLike",
    "iter_documents",
    "iter_labels",
    "read_documents",
]

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Documents:
    """Documents of a file, in its order.

    Attributes
    ----------
    ids, texts
        One string per document.
    labels
        The names of each document's labels, or None where the file has no such column.
    extra
        The other columns, by name; None where a row of JSON lacks the value.
    label_columns
        The classes that have a column each in the file, in its order; () if labels are elsewhere.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...] | None
    extra: Mapping[str, tuple[Any, ...]]
    label_columns: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of all labels, sorted."""
        return tuple(sorted(set(chain.from_iterable(self.labels or ()))))

    def at(self, rows: Sequence[int]) -> Documents:
        """Return the documents of these rows."""
        return replace(
            self,
            ids=tuple(self.ids[k] for k in rows),
            texts=tuple(self.texts[k] for k in rows),
            labels=None if self.labels is None else tuple(self.labels[k] for k in rows),
            extra={name: tuple(v[k] for k in rows) for name, v in self.extra.items()},
        )

    def with_none_class(self, name: str | None) -> Documents:
        """Give the documents without a label the class of this name; with None, none of them."""
        if name is None or self.labels is None:
            return self
        return replace(self, labels=tuple(labels or (name,) for labels in self.labels))


class _Columns(NamedTuple):
    id: str
    text: str | None  # None: texts are not needed
    labels: LabelReader


class _Document(NamedTuple):
    id: str
    text: str
    labels: tuple[str, ...] | None
    extra: dict[str, Any]


def read_documents(
    path: PathLike,
    *,
    id_column: str = "id",
    text_column: str | None = "text",
    labels_column: str | None = LABELS,
    separator: str = SEPARATOR,
    label_columns: Wanted | None = None,
) -> Documents:
    """Read a file of documents.

    Parameters
    ----------
    path
        A ``.csv``, ``.tsv`` or ``.jsonl`` file (also with ``.gz``), a ``.parquet`` file, or an
        ``.xlsx`` file, with the name of a sheet after ``#`` if it has several.
    id_column, text_column, labels_column
        The names of the columns. Ids must differ; the column of labels may be absent. If there is
        no column ``labels``, a column ``label`` is read in its place: it holds one label, whole,
        even if the separator is part of it. With None for `labels_column`, labels are read like any
        other column, unchanged; with None for `text_column`, all texts are empty.
        `labels_column` can name several answer columns, as in ``"code1,code2"`` or ``"code*"``:
        each cell holds one label, whole, or is empty.
    separator
        The string between two labels in a CSV or TSV cell.
    label_columns
        Columns that stand for a class each, in the place of `labels_column`: a list of names and
        patterns (with ``*`` and ``?``), or one string with commas between them, where a name that
        contains a comma is quoted. The class has the name of the column. Cells are 0 or 1, true or
        false, yes or no, y or n, or x or empty; a column has one notation.

    Raises
    ------
    satc.errors.DataError
        If the file is damaged or does not hold documents; the message names the line.
    """
    where_labels = labels_column, label_columns, separator
    columns = _columns(Path(path), id_column, text_column, *where_labels)
    return _collected(_read(Path(path), columns), columns.labels)


def iter_documents(
    path: PathLike,
    *,
    batch_size: int = 10_000,
    id_column: str = "id",
    text_column: str = "text",
    labels_column: str | None = LABELS,
    separator: str = SEPARATOR,
    label_columns: Wanted | None = None,
    on_fault: OnFault = raise_fault,
) -> Iterator[Documents]:
    """Read a file of documents in batches; only one batch and an index of ids are in memory.

    A row that cannot be used goes to `on_fault`; if that returns, the row is left out.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, but is {batch_size}")
    where_labels = labels_column, label_columns, separator
    columns = _columns(Path(path), id_column, text_column, *where_labels)
    return _batches(_read(Path(path), columns, on_fault), batch_size, columns.labels)


def iter_labels(
    path: PathLike,
    *,
    id_column: str = "id",
    text_column: str = "text",
    labels_column: str | None = LABELS,
    separator: str = SEPARATOR,
    label_columns: Wanted | None = None,
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the position of each row, as in "data.csv, line 7", with its labels.

    The options are those of `read_documents`. Texts are not needed.
    """
    where_labels = labels_column, label_columns, separator
    columns = _columns(Path(path), id_column, text_column, *where_labels)._replace(text=None)
    for row in read_rows(Path(path)):
        yield row.where, _document(row, columns).labels or ()


def _columns(
    path: Path,
    id_column: str,
    text_column: str | None,
    labels_column: str | None,
    label_columns: Wanted | None,
    separator: str,
) -> _Columns:
    taken = [name for name in (id_column, text_column) if name is not None]
    labels = label_reader(path, labels_column, label_columns, separator, taken)
    return _Columns(id_column, text_column, labels)


def _batches(
    documents: Iterator[_Document], batch_size: int, labels: LabelReader
) -> Iterator[Documents]:
    while batch := tuple(islice(documents, batch_size)):
        yield _collected(batch, labels)


def _collected(documents: Iterable[_Document], reader: LabelReader) -> Documents:
    documents = list(documents)
    labels = [document.labels for document in documents if document.labels is not None]
    names = dict.fromkeys(name for document in documents for name in document.extra)
    return Documents(
        ids=tuple(document.id for document in documents),
        texts=tuple(document.text for document in documents),
        labels=tuple(labels) if labels else None,
        extra={name: tuple(d.extra.get(name) for d in documents) for name in names},
        label_columns=reader.classes,
    )


def _read(path: Path, columns: _Columns, on_fault: OnFault = raise_fault) -> Iterator[_Document]:
    with closing(read_rows(path, on_fault)) as rows:  # closes the file, whatever happens
        yield from _checked(path, rows, columns, on_fault)


def _checked(
    path: Path, rows: Iterator[Row], columns: _Columns, on_fault: OnFault
) -> Iterator[_Document]:
    index = IdIndex()
    labelled: bool | None = None
    for row in rows:
        try:
            document = _document(row, columns)
            _check_new(document, row, index, columns)
            if labelled is None:
                labelled = document.labels is not None
            if labelled != (document.labels is not None):
                name = columns.labels.name
                raise DataError(f"{row.where}: {name!r} must be in every row, or in none")
        except DataError as error:
            on_fault(error)
        else:
            index.add(document.id, int(row.where.rpartition(" ")[2]))
            yield document
    try:
        columns.labels.finish(path)
        if not len(index):
            raise DataError(f"{path} must hold at least one document, but holds none")
    except DataError as error:
        on_fault(error)


def _check_new(document: _Document, row: Row, index: IdIndex, columns: _Columns) -> None:
    if (line := index.line(document.id)) is not None:
        unit = row.where.rpartition(", ")[2].partition(" ")[0]  # "line" or "row"
        raise DataError(
            f"{row.where}: {columns.id!r} must differ from all others, but {document.id!r} "
            f"stands in {unit} {line} as well"
        )


def _document(row: Row, columns: _Columns) -> _Document:
    values = dict(row.values)
    for name in (columns.id, columns.text):
        if name is not None and name not in values:
            raise DataError(
                f"{row.where} must have a column {name!r}, but has "
                f"{', '.join(map(repr, values)) or 'none'}"
            )
    identity = fields.document_id(values[columns.id], columns.id, row.where)
    text = ""
    if columns.text is not None:
        text = fields.text(values[columns.text], columns.text, row.where)
    labels = columns.labels.take(values, row.where)
    values.pop(columns.id, None)
    values.pop(columns.text or columns.id, None)
    return _Document(identity, text, labels, values)
