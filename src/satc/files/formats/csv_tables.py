"""CSV and TSV: rows read under the names of the header, and rows of cells written.

A text that a spreadsheet would run as a formula is written with a ``'`` in front (`formulas`). How
files of spreadsheet programs are read is in `csv_text`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from satc.errors import DataError
from satc.files.faults import OnFault
from satc.files.formats.csv_text import find_separator, named_separator, read_csv_lines
from satc.files.formats.formulas import escape_formula
from satc.files.formats.rows import Row, Rows, check_column_names

CELL_LIMIT = 10_000_000  # characters


class Dialect(NamedTuple):
    """How a CSV file is written."""

    separator: str = ","
    encoding: str = "utf-8"
    decimal: str = "."  # before the fraction of a number: a point or a comma


# Excel opens such a file by a double click, where lists have semicolons and numbers commas.
FOR_EXCEL = Dialect(";", "utf-8-sig", ",")


def write_csv(
    path: Path,
    header: Iterable[str],
    rows: Iterable[Iterable[Any]],
    dialect: Dialect = Dialect(),  # noqa: B008 (never changes)
) -> None:
    """Write a new file: the header, then a line for each row of cells."""
    with path.open("x", encoding=dialect.encoding, newline="") as file:
        # The line end \r\n makes the writer quote cells that hold \r or \n.
        writer = csv.writer(file, delimiter=dialect.separator)
        harmless = _harmless if dialect.decimal == "." else _with_decimal_comma
        writer.writerow(map(_harmless, header))
        writer.writerows(map(harmless, row) for row in rows)


def _with_decimal_comma(cell: Any) -> Any:
    return repr(cell).replace(".", ",") if isinstance(cell, float) else _harmless(cell)


def _harmless(cell: Any) -> Any:
    return escape_formula(cell) if isinstance(cell, str) else cell


def read_csv(path: Path, on_fault: OnFault, separator: str | None = None) -> Rows:
    """Yield the rows; one that cannot be used goes to `on_fault`.

    Without a separator between cells, it is found out.
    """
    csv.field_size_limit(max(csv.field_size_limit(), CELL_LIMIT))
    with closing(read_csv_lines(path, on_fault)) as lines:  # closes the file, whatever happens
        first = next(lines, "")
        found = separator or find_separator(path, first)
        table = csv.reader(chain([first], lines), delimiter=found, strict=True)
        if separator is None and named_separator(first):
            next(table)
        yield from _rows(path, table, on_fault)


def _rows(path: Path, table: Any, on_fault: OnFault) -> Iterator[Row]:
    header: list[str] | None = None
    while True:
        try:
            cells = next(table, None)
        except csv.Error as error:
            fault = DataError(f"{path}, line {table.line_num}: {_reason(error)}")
            if header is None:
                raise fault from error
            on_fault(fault)
            continue
        if header is None:
            header = _header(cells or [], path)
        elif cells is None:
            return
        elif cells:  # an empty line has no cells
            where = f"{path}, line {table.line_num}"
            if len(cells) == len(header):
                yield Row(where, dict(zip(header, cells, strict=True)))
            else:
                on_fault(_wrong_length(where, header, cells))


def _reason(error: csv.Error) -> str:
    if "new-line character" in str(error):  # Python's advice there is for programmers
        return "a carriage return must end a line with a line feed, or stand in a quoted cell"
    return str(error)


def _wrong_length(where: str, header: list[str], cells: list[str]) -> DataError:
    return DataError(
        f"{where} must have as many cells as the header, {len(header)}, but has {len(cells)}"
    )


def _header(cells: list[str], path: Path) -> list[str]:
    if not any(cell.strip() for cell in cells):
        raise DataError(f"{path} must begin with a line that names the columns, but does not")
    header = [cell.strip() for cell in cells]
    check_column_names(header, path)
    return header
