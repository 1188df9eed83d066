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
from satc.files.label_cells import SEPARATOR, distinct_labels, split_labels

PathLike = str | os.PathLike[str]

LABELS, LABEL = "labels", "label"  # columns: any number of labels, and exactly one


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
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...] | None
    extra: Mapping[str, tuple[Any, ...]]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of all labels, sorted."""
        return tuple(sorted(set(chain.from_iterable(self.labels or ()))))

    def at(self, rows: Sequence[int]) -> Documents:
        """Return the documents of these rows."""
        return Documents(
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
    labels: str | None
    separator: str


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
    separator
        The string between two labels in a CSV or TSV cell.

    Raises
    ------
    satc.errors.DataError
        If the file is damaged or does not hold documents; the message names the line.
    """
    columns = _Columns(id_column, text_column, labels_column, separator)
    return _collected(_read(Path(path), columns))


def iter_documents(
    path: PathLike,
    *,
    batch_size: int = 10_000,
    id_column: str = "id",
    text_column: str = "text",
    labels_column: str | None = LABELS,
    separator: str = SEPARATOR,
    on_fault: OnFault = raise_fault,
) -> Iterator[Documents]:
    """Read a file of documents in batches; only one batch and an index of ids are in memory.

    A row that cannot be used goes to `on_fault`; if that returns, the row is left out.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, but is {batch_size}")
    columns = _Columns(id_column, text_column, labels_column, separator)
    return _batches(_read(Path(path), columns, on_fault), batch_size)


def iter_labels(path: PathLike, **columns: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the position of each row, as in "data.csv, line 7", with its labels.

    `columns` are options of `read_documents`. Texts are not needed.
    """
    given = {f"{name}_column": name for name in ("id", "text", LABELS)}
    names = _Columns(*(given | {"separator": SEPARATOR} | columns).values())._replace(text=None)
    for row in read_rows(Path(path)):
        yield row.where, _document(row, names).labels or ()


def _batches(documents: Iterator[_Document], batch_size: int) -> Iterator[Documents]:
    while batch := tuple(islice(documents, batch_size)):
        yield _collected(batch)


def _collected(documents: Iterable[_Document]) -> Documents:
    documents = list(documents)
    labels = [document.labels for document in documents if document.labels is not None]
    names = dict.fromkeys(name for document in documents for name in document.extra)
    return Documents(
        ids=tuple(document.id for document in documents),
        texts=tuple(document.text for document in documents),
        labels=tuple(labels) if labels else None,
        extra={name: tuple(d.extra.get(name) for d in documents) for name in names},
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
                raise DataError(f"{row.where}: {columns.labels!r} must be in every row, or in none")
        except DataError as error:
            on_fault(error)
        else:
            index.add(document.id, int(row.where.rpartition(" ")[2]))
            yield document
    if not len(index):
        on_fault(DataError(f"{path} must hold at least one document, but holds none"))


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
    identity = fields.document_id(values.pop(columns.id), columns.id, row.where)
    text = ""
    if columns.text is not None:
        text = fields.text(values.pop(columns.text), columns.text, row.where)
    labels = None
    if columns.labels is not None and columns.labels in values:
        labels = _labels(values.pop(columns.labels), columns, row.where)
    elif columns.labels == LABELS and LABEL in values:
        labels = _one_label(values.pop(LABEL), row.where)
    return _Document(identity, text, labels, values)


def _labels(value: Any, columns: _Columns, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return split_labels(value, columns.separator)
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise DataError(
            f"{where}: {columns.labels!r} must be a list of strings (an empty one where the "
            f"document has no label), but is {value!r:.80}"
        )
    return distinct_labels(value)


def _one_label(value: Any, where: str) -> tuple[str, ...]:
    """Return the label of a cell; () for none. Numbers of classes become strings."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (str(value),)
    names = [value] if isinstance(value, str) else value if value is not None else []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError(f"{where}: {LABEL!r} must be a string, but is {value!r:.80}")
    return distinct_labels(names)
