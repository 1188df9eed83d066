"""Rows of a file of predictions, and the documents that they are of."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from satc.errors import DataError
from satc.files import fields
from satc.files.documents import LABEL
from satc.files.formats.json_lists import read_json_list
from satc.files.formats.reader import read_rows
from satc.files.formats.rows import Row
from satc.files.predictions import cells
from satc.files.predictions.annif.folder import folder_rows, is_one_document, one_document
from satc.files.predictions.layout import TRUE_LABEL, Layout, Names


def all_rows(path: Path) -> list[Row]:
    """Read the rows of a CSV, TSV, XLSX, JSON lines, JSON or Parquet file, or of Annif's files."""
    if path.is_dir():
        rows = folder_rows(path)
    elif is_one_document(path):
        rows = one_document(path)
    elif path.suffix.lower() == ".json":
        rows = list(read_json_list(path, list_as="outputs"))
    else:
        with closing(read_rows(path)) as found:  # closes the file, whatever happens
            rows = list(found)
    if not rows:
        raise DataError(f"{path} must hold at least one document, but holds none")
    return rows


class RowFields(NamedTuple):
    """Ids, texts and true labels of rows; None where the file has none."""

    ids: tuple[str, ...] | None
    texts: tuple[str, ...] | None
    truth: list[tuple[str, ...]] | None


def fields_of(rows: list[Row], layout: Layout, names: Names) -> RowFields:
    """Return the ids, texts and true labels of rows, each of which is a document."""
    ids = None if layout.id is None else tuple(document_ids(rows, layout.id))
    if ids is not None:
        where = (row.where for row in rows)
        check_distinct(ids, where, f"{layout.id!r} must differ from all others")
    return RowFields(ids, texts_of(rows, layout.text), truth_of(rows, layout.truth, names))


def document_ids(rows: Iterable[Row], column: str) -> list[str]:
    """Return the id of each row."""
    return [fields.document_id(value_of(row, column), column, row.where) for row in rows]


def texts_of(rows: Iterable[Row], column: str | None) -> tuple[str, ...] | None:
    """Return the text of each row; None without a column."""
    if column is None:
        return None
    return tuple(fields.text(value_of(row, column), column, row.where) for row in rows)


def truth_of(rows: Iterable[Row], column: str | None, names: Names) -> list[tuple[str, ...]] | None:
    """Return the true labels of each row; None without a column."""
    if column is None:
        return None
    whole = column == TRUE_LABEL or (column == LABEL and column != names.labels_column)
    separator = None if whole else names.separator
    return [cells.label_set(value_of(row, column), separator, row.where, column) for row in rows]


def value_of(row: Row, column: str) -> Any:
    """Return a value that must be there."""
    return fields.required(row.values, column, row.where)


def check_distinct(ids: Iterable[str], where: Iterable[str], requirement: str) -> None:
    """Refuse an id that occurs twice; the error message has its position and the requirement."""
    first: dict[str, str] = {}
    for identity, position in zip(ids, where, strict=True):
        if identity in first:
            raise DataError(
                f"{position}: {requirement}, but {identity!r} stands in "
                f"{first[identity].rpartition(', ')[2]} as well"
            )
        first[identity] = position
