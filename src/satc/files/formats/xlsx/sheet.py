"""The rows of a sheet as a stream: the cells of each row as texts, as a person sees them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field

from satc.errors import DataError
from satc.files.formats.xlsx.escapes import unescape_text
from satc.files.formats.xlsx.number_formats import DateRangeError, plain_number
from satc.files.formats.xlsx.positions import MAX_ROWS, column_letters, column_number
from satc.files.formats.xlsx.workbook import Sheet, Workbook
from satc.files.formats.xlsx.xml_parts import PartHandler, parse_part

_INTEGER_DIGITS = 15  # so many are exact in a cell


@dataclass
class SheetRow:
    """A row: its number from 1, its cells that are not empty, and what is wrong with others."""

    number: int
    cells: dict[int, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def iter_sheet(workbook: Workbook, sheet: Sheet) -> Generator[SheetRow, None, None]:
    """Yield the rows that are not empty."""
    where = f"{workbook.path}, sheet {sheet.name!r}"
    handler = _Handler(workbook, where)
    with closing(workbook.open_sheet(sheet)) as content:
        for _ in parse_part(content, handler):
            yield from handler.rows
            handler.rows.clear()


class CellError(ValueError):
    """A cell cannot be used; the message says why."""


class _Handler(PartHandler):
    def __init__(self, workbook: Workbook, where: str) -> None:
        super().__init__(where)
        self._workbook = workbook
        self.rows: list[SheetRow] = []
        self._row = SheetRow(0)
        self._column = -1
        self._type, self._style = "n", ""
        self._has_formula = self._has_value = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._start_cell(attributes)
        elif name == "v":
            self._has_value = self.listening = True
        elif name == "f":
            self._has_formula = True
        elif name == "row":
            self._start_row(attributes.get("r"))
        else:
            self.start_text(name)

    def end(self, name: str) -> None:
        if name == "c":
            self._end_cell()
        elif name == "v":
            self.listening = False
        elif name == "row":
            if self._row.cells or self._row.faults:
                self.rows.append(self._row)
        else:
            self.end_text(name)

    def _start_row(self, given: str | None) -> None:
        number = self._row.number + 1
        if given is not None:
            number = int(given) if given.isascii() and given.isdigit() and len(given) < 8 else 0
        if not 1 <= number <= MAX_ROWS:
            raise DataError(f"{self.where}: rows must be numbered from 1 to {MAX_ROWS:,}")
        self._row = SheetRow(number)
        self._column = -1

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._type, self._style = attributes.get("t", "n"), attributes.get("s", "")
        self._has_formula = self._has_value = False
        self.reset_text()
        given = attributes.get("r")
        column = column_number((given or "").rstrip("0123456789"))
        if given is None:
            column = column_number(column_letters(self._column + 1))
        if column is None:
            raise DataError(
                f"{self.where}, row {self._row.number}: cells must be in the columns A to XFD, "
                f"but one is {given!r:.20}"
            )
        self._column = column

    def _end_cell(self) -> None:
        try:
            text = self._cell_text()
        except CellError as error:
            name = f"{column_letters(self._column)}{self._row.number}"
            self._row.faults.append(f"the cell {name} {error}")
            return
        if text:
            self._row.cells[self._column] = text

    def _cell_text(self) -> str:
        value, kind = self.text(), self._type
        if self._has_formula and not self._has_result(value):
            raise CellError(
                "has a formula without its result: open the file in a spreadsheet program and "
                "save it, which stores the result"
            )
        if kind in ("str", "inlineStr"):
            return unescape_text(value)
        if not value:
            return ""
        if kind == "s":
            return self._shared(value)
        if kind == "b":
            return "FALSE" if value.strip() == "0" else "TRUE"
        if kind == "e":
            raise CellError(f"has the error {value!r:.20} in the place of a value")
        return value.removesuffix("T00:00:00") if kind == "d" else self._number(value)

    def _has_result(self, value: str) -> bool:
        return bool(value) or (self._has_value and self._type == "str")  # an empty text is one

    def _shared(self, value: str) -> str:
        number = int(value) if value.isascii() and value.isdigit() and len(value) < 12 else -1
        text = self._workbook.strings.get(number)
        if text is None:
            raise DataError(
                f"{self.where}, row {self._row.number} must have texts of the workbook's list, "
                f"but refers to number {value!r:.20}"
            )
        return text

    def _number(self, value: str) -> str:
        shows = self._workbook.shows
        style = int(self._style) if self._style.isdecimal() and len(self._style) < 8 else 0
        show = shows[style] if style < len(shows) else plain_number
        if show is plain_number and len(value) < _INTEGER_DIGITS and value.isdecimal():
            return value  # nearly all numbers that are ids or years
        try:
            return show(_as_float(value))
        except DateRangeError as error:
            raise CellError(f"must be a date, but {error}") from None


def _as_float(value: str) -> float:
    try:
        number = float("nan" if "_" in value else value)
    except ValueError:
        number = float("nan")
    if not abs(number) < float("inf"):
        raise CellError(f"must hold a number, but holds {value!r:.40}")
    return number
