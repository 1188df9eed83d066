"""Read the rows of a sheet under the names of its header: every value is a text, as in CSV.

The first row that is not empty is the header. Empty rows are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from satc.errors import DataError
from satc.files.faults import OnFault
from satc.files.formats.rows import Row, Rows, check_column_names
from satc.files.formats.xlsx.positions import column_letters
from satc.files.formats.xlsx.sheet import SheetRow, iter_sheet
from satc.files.formats.xlsx.workbook import Sheet, Workbook, open_workbook

_TITLE = "if it is a title, delete it, so that the names of the columns come first"


def read_xlsx(path: Path, on_fault: OnFault, sheet: str | None = None) -> Rows:
    """Yield the rows of a sheet; one that cannot be used goes to `on_fault`.

    Without the name of a sheet, the workbook must have one visible sheet that is not empty.
    """
    with open_workbook(path) as workbook:
        chosen = _named(workbook, sheet) if sheet is not None else _only_sheet(workbook)
        with closing(iter_sheet(workbook, chosen)) as rows:
            yield from _rows(rows, f"{path}, sheet {chosen.name!r}", on_fault)


def _named(workbook: Workbook, name: str) -> Sheet:
    exact = [one for one in workbook.sheets if one.name == name]
    similar = [one for one in workbook.sheets if one.name.casefold() == name.casefold()]
    for one in exact or similar:
        return one
    names = ", ".join(repr(one.name) for one in workbook.sheets if one.is_visible)
    raise DataError(f"{workbook.path} must have a sheet {name!r}, but has {names or 'none'}")


def _only_sheet(workbook: Workbook) -> Sheet:
    filled = [one for one in workbook.sheets if one.is_visible and not _is_empty(workbook, one)]
    if not filled:
        raise DataError(f"{workbook.path} must have a sheet with rows, but all are empty")
    if len(filled) > 1:
        names = ", ".join(repr(one.name) for one in filled)
        raise DataError(
            f"{workbook.path} has the sheets {names}: say which to read, as in "
            f"{f'{workbook.path.name}#{filled[0].name}'!r}"
        )
    return filled[0]


def _is_empty(workbook: Workbook, sheet: Sheet) -> bool:
    with closing(iter_sheet(workbook, sheet)) as rows:
        return next(rows, None) is None


def _rows(rows: Iterator[SheetRow], where: str, on_fault: OnFault) -> Iterator[Row]:
    first = next(rows, None)
    if first is None:
        raise DataError(f"{where} must begin with a row that names the columns, but is empty")
    second = next(rows, None)
    columns = _columns(first, second, where)
    for row in chain([second] if second is not None else [], rows):
        position = f"{where}, row {row.number}"
        unnamed = [column for column in row.cells if column not in columns]
        if row.faults:
            on_fault(DataError(f"{position}: {row.faults[0]}"))
        elif unnamed:
            on_fault(_unnamed_cell(row, min(unnamed), first, position))
        else:
            yield Row(position, {name: row.cells.get(k, "") for k, name in columns.items()})


def _unnamed_cell(row: SheetRow, column: int, header: SheetRow, position: str) -> DataError:
    letters = column_letters(column)
    return DataError(
        f"{position} must have cells in named columns only, but {letters}{row.number} holds "
        f"{row.cells[column]!r:.40}, and row {header.number} has no name for column {letters}"
    )


def _columns(header: SheetRow, second: SheetRow | None, where: str) -> dict[int, str]:
    """Return the names of the columns, by their numbers.

    One column may be without a name, as in CSV: the names of rows that pandas writes have none.
    """
    position = f"{where}, row {header.number}"
    if header.faults:
        raise DataError(f"{position}: {header.faults[0]}")
    names = {column: text.strip() for column, text in header.cells.items()}
    unnamed = [] if second is None else _unnamed_columns(names, second, position)
    found = {column: name for column, name in names.items() if name} | dict.fromkeys(unnamed, "")
    if not any(found.values()):
        raise DataError(f"{position} must name the columns, but holds only spaces")
    check_column_names(list(found.values()), where)
    return dict(sorted(found.items()))


def _unnamed_columns(names: dict[int, str], second: SheetRow, position: str) -> list[int]:
    """Return the column that has a cell in the second row and no name; several are refused."""
    if max(second.cells, default=0) > max(names):
        raise DataError(
            f"{position} must name all columns, but holds only {_listed(names)}, and row "
            f"{second.number} has more cells: {_TITLE}"
        )
    unnamed = [column for column in second.cells if not names.get(column)]
    if len(unnamed) > 1:
        raise DataError(
            f"{position} must name all columns, but {', '.join(map(column_letters, unnamed))} have "
            f"no names: {_TITLE}"
        )
    return unnamed


def _listed(names: dict[int, str]) -> str:
    return ", ".join(f"{name!r:.60}" for name in list(names.values())[:5])
