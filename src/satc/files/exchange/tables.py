"""Documents as CSV, TSV, XLSX, JSON lines or Parquet, and decisions read from such files.

The columns are those of `columns.row_of`. Documents come from an iterator that is read once, and
only one batch is in memory: ten million documents need no more than ten thousand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.atomic import output_file
from satc.files.exchange.columns import SEVERAL, Layout, row_of
from satc.files.exchange.exported_document import ExportedDocument
from satc.files.exchange.imported_decision import (
    ONE_LABEL,
    ImportedDecision,
    decision_of_row,
    labels_column_of,
)
from satc.files.exchange.spool import Spool, spool_rows
from satc.files.formats.csv_tables import FOR_EXCEL, Dialect, write_csv
from satc.files.formats.formulas import unescape_formula
from satc.files.formats.json_lines import write_json_lines
from satc.files.formats.parquet import write_parquet
from satc.files.formats.reader import read_rows
from satc.files.formats.rows import Row
from satc.files.formats.xlsx.positions import is_xlsx
from satc.files.formats.xlsx.writer import write_xlsx
from satc.files.labels.cells import join_labels, split_labels
from satc.files.labels.column_names import Wanted, is_delimited
from satc.files.labels.readers import LabelReader, label_reader
from satc.files.values import as_text, to_json

_LABEL_COLUMNS = frozenset({"labels", *SEVERAL.label_columns})


def write_csv_table(
    documents: Iterable[ExportedDocument],
    path: Path,
    layout: Layout = SEVERAL,
    dialect: Dialect = Dialect(),  # noqa: B008 (never changes)
) -> int:
    """Write CSV; return the number of documents."""
    as_cell = cell_text if dialect.decimal == "." else _float_or_text
    with output_file(path) as temporary, _spooled(documents, path, layout) as spool:
        _check_names(spool.schema.names)
        write_csv(temporary, spool.schema.names, _cells(spool, as_cell), dialect)
        return spool.count


def write_excel_csv_table(
    documents: Iterable[ExportedDocument], path: Path, layout: Layout = SEVERAL
) -> int:
    """Write CSV for Excel where numbers have decimal commas; return the number of documents."""
    return write_csv_table(documents, path, layout, FOR_EXCEL)


def write_tsv_table(
    documents: Iterable[ExportedDocument], path: Path, layout: Layout = SEVERAL
) -> int:
    """Write TSV; return the number of documents."""
    return write_csv_table(documents, path, layout, Dialect("\t"))


def write_xlsx_table(
    documents: Iterable[ExportedDocument], path: Path, layout: Layout = SEVERAL
) -> int:
    """Write XLSX; return the number of documents."""
    with output_file(path) as temporary, _spooled(documents, path, layout) as spool:
        _check_names(spool.schema.names)
        write_xlsx(temporary, spool.schema.names, _cells(spool, cell_value))
        return spool.count


def write_json_table(
    documents: Iterable[ExportedDocument], path: Path, layout: Layout = SEVERAL
) -> int:
    """Write JSON lines; return the number of documents."""
    with output_file(path) as temporary:
        return write_json_lines(temporary, (to_json(row_of(one, layout)) for one in documents))


def write_parquet_table(
    documents: Iterable[ExportedDocument], path: Path, layout: Layout = SEVERAL
) -> int:
    """Write Parquet; return the number of documents.

    A column of values of different types, or of mappings, becomes text.
    """
    with output_file(path) as temporary, _spooled(documents, path, layout) as spool:
        write_parquet(temporary, spool.schema, spool.batches())
        return spool.count


def _spooled(
    documents: Iterable[ExportedDocument], path: Path, layout: Layout
) -> AbstractContextManager[Spool]:
    return spool_rows((row_of(one, layout) for one in documents), path.parent, layout)


def _check_names(names: list[str]) -> None:
    stripped = [name.strip() for name in names]
    repeated = {name for name in stripped if stripped.count(name) > 1}
    if repeated:
        raise ValueError(
            "column names must differ without the spaces around them to be written as CSV, TSV or "
            f"XLSX, but {sorted(repeated)[0]!r} comes twice; JSON lines and Parquet take them"
        )


def _cells(spool: Spool, as_cell: Callable[[str, Any], Any]) -> Iterator[Iterator[Any]]:
    names = spool.schema.names
    for batch in spool.batches():
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield map(as_cell, names, values)


def cell_text(column: str, value: Any) -> str:
    """Return a value as the text of a cell: labels joined, other lists and mappings as JSON.

    >>> cell_text("labels", ["corn", "wheat"]), cell_text("codes", [1, 2]), cell_text("year", None)
    ('corn|wheat', '[1, 2]', '')
    """
    if column in _LABEL_COLUMNS and isinstance(value, (list, tuple)):
        return join_labels(value)
    return as_text(value) or ""


def cell_value(column: str, value: Any) -> Any:
    """Return a finite number, a truth value or a date as it is, and other values as a text.

    >>> cell_value("year", 1987), cell_value("labels", ["corn", "wheat"])
    (1987, 'corn|wheat')
    """
    is_number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_number or isinstance(value, date) else cell_text(column, value)


def _float_or_text(column: str, value: Any) -> Any:
    """Return a finite number with a fraction as it is, so that it gets its decimal sign."""
    is_float = isinstance(value, float) and math.isfinite(value)
    return value if is_float else cell_text(column, value)


def read_decisions(
    path: Path, labels_column: str | None = None, label_columns: Wanted | None = None
) -> Iterator[ImportedDecision]:
    """Yield the decisions of a CSV, TSV, XLSX, JSON lines or Parquet file with `id` and labels.

    The labels are in `satc_labels`, `satc_label`, `labels` or `label`, the first that is there; the
    columns in the singular hold one label. Where the file has a column `satc_source`,
    only rows with the value ``human`` are decisions. `labels_column` and `label_columns` say where
    else the labels are, as for `read_documents`.
    """
    is_text = is_delimited(path)
    in_cells = is_text or is_xlsx(path)
    reader = None
    if labels_column is not None or label_columns is not None:
        reader = label_reader(path, labels_column, label_columns, taken=("id", "text"))
    for row in read_rows(path):
        found = row
        if labels_column is not None and labels_column in row.values:
            found = _with_other_name(row, labels_column)
        elif reader is not None:
            found = _with_one_column(row, reader)
        plain = _without_escapes(found) if is_text else found
        decision = decision_of_row(_split(plain) if in_cells else plain)
        if decision is not None:
            yield decision
    if reader is not None:
        reader.finish(path)


def _with_other_name(row: Row, labels_column: str) -> Row:
    """Give the column of labels the name that it has in an export."""
    values = dict(row.values)
    labels = values.pop(labels_column)
    return Row(row.where, values | {SEVERAL.labels: labels})


def _with_one_column(row: Row, reader: LabelReader) -> Row:
    """Gather labels into the column that holds them in an export without a shape."""
    values = dict(row.values)
    labels = reader.take(values, row.where)
    if labels is None:
        raise DataError(
            f"{row.where} must have the column {reader.name!r}, but has "
            f"{', '.join(map(repr, values)) or 'nothing'}"
        )
    return Row(row.where, values | {SEVERAL.labels: list(labels)})


def _without_escapes(row: Row) -> Row:
    values = {
        name: unescape_formula(value) if isinstance(value, str) else value
        for name, value in row.values.items()
    }
    return Row(row.where, values)


def _split(row: Row) -> Row:
    """Split the labels, which are one text in CSV, TSV and XLSX."""
    column = labels_column_of(row)
    value = row.values[column]
    if column in ONE_LABEL or not isinstance(value, str):
        return row
    return Row(row.where, row.values | {column: list(split_labels(value))})
