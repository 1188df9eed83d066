"""Write a table as a workbook with one sheet, row by row.

Texts are written as texts, whatever they look like: no text becomes a formula, a link, a number or
a date. Numbers, truth values and dates are written as such.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from satc.files.formats.xlsx.frame import (
    DATE_STYLE,
    HEADER_STYLE,
    SHEET,
    TIME_STYLE,
    escape_xml,
    parts_after,
    parts_before,
    sheet_end,
    sheet_start,
)
from satc.files.formats.xlsx.number_formats import serial_number
from satc.files.formats.xlsx.positions import MAX_COLUMNS, MAX_ROWS, column_letters

MAX_CHARACTERS = 32_767  # of a cell, in UTF-16
MAX_BYTES = (1 << 31) - 1  # of a sheet; beyond, Excel wants to repair the file
EXACT = 10**15  # spreadsheet programs keep 15 digits; a larger number is written as text
NAME = "satc"  # of the sheet

_SAMPLE = 200  # rows that decide the widths of the columns
_WIDTHS = (8, 60)  # the least and the greatest, in characters
_ELSEWHERE = "CSV, JSON lines and Parquet take it"


def write_xlsx(path: Path, header: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    """Write a new file: the header, then a row of cells for each row.

    Raises
    ------
    ValueError
        If Excel could not open the file: a text is too long, or there are too many rows or columns.
    """
    if len(header) > MAX_COLUMNS:
        raise ValueError(
            f"an .xlsx file must have at most {MAX_COLUMNS:,} columns, but there are "
            f"{len(header):,}; {_ELSEWHERE}"
        )
    left = iter(rows)
    sample = [list(row) for row in islice(left, _SAMPLE)]
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        _write_parts(archive, parts_before())
        with archive.open(_entry(SHEET), "w") as file:
            sheet = _SheetFile(file)
            sheet.write(sheet_start(_widths(header, sample)))
            sheet.write_row(header, HEADER_STYLE)
            for row in chain(sample, left):
                sheet.write_row(row)
            sheet.write(sheet_end(max(len(header), 1), sheet.n_rows))
        _write_parts(archive, parts_after(NAME, max(len(header), 1), sheet.n_rows))


def _write_parts(archive: zipfile.ZipFile, parts: dict[str, str]) -> None:
    for name, text in parts.items():
        archive.writestr(_entry(name), text)


def _entry(name: str) -> zipfile.ZipInfo:
    """Return the entry of a part, without the time: the same table makes the same file."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry


class _SheetFile:
    """The XML of a sheet, written row by row."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._size = 0
        self.n_rows = 0

    def write(self, text: str) -> None:
        """Write a piece of XML."""
        content = text.encode()
        self._size += len(content)
        if self._size > MAX_BYTES:
            raise ValueError(
                f"an .xlsx file must have at most {MAX_BYTES:,} bytes in a sheet, but row "
                f"{self.n_rows:,} exceeds them; {_ELSEWHERE}"
            )
        self._file.write(content)

    def write_row(self, cells: Iterable[Any], style: int = 0) -> None:
        """Write the next row."""
        self.n_rows += 1
        if self.n_rows > MAX_ROWS:
            raise ValueError(
                f"an .xlsx file must have at most {MAX_ROWS:,} rows with the header, but row "
                f"{self.n_rows:,} follows; {_ELSEWHERE}"
            )
        number = str(self.n_rows)
        self.write(f'<row r="{number}">{"".join(_cells(cells, number, style))}</row>')


def _cells(values: Iterable[Any], row: str, style: int) -> Iterator[str]:
    for column, value in enumerate(values):
        if value is not None and value != "":
            yield _cell(value, f"{column_letters(column)}{row}", style)


def _cell(value: Any, name: str, style: int) -> str:
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
    if (isinstance(value, int) and abs(value) < EXACT) or (
        isinstance(value, float) and math.isfinite(value)
    ):
        return f'<c r="{name}"><v>{value!r}</v></c>'
    if isinstance(value, date) and (serial := serial_number(value)) is not None:
        kind = TIME_STYLE if isinstance(value, datetime) else DATE_STYLE
        return f'<c r="{name}" s="{kind}"><v>{serial!r}</v></c>'
    text = value.isoformat() if isinstance(value, date) else str(value)
    if len(text) > MAX_CHARACTERS // 2 and _utf16_length(text) > MAX_CHARACTERS:
        raise ValueError(
            f"a cell of an .xlsx file must have at most {MAX_CHARACTERS:,} characters, but {name} "
            f"has {_utf16_length(text):,}, beginning with {text[:40]!r}; {_ELSEWHERE}"
        )
    shown = f' s="{style}"' if style else ""
    return (
        f'<c r="{name}"{shown} t="inlineStr"><is><t xml:space="preserve">{escape_xml(text)}</t>'
        "</is></c>"
    )


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _widths(header: Sequence[str], rows: list[list[Any]]) -> list[int]:
    """Return the widths of the columns: as wide as the first rows need, within limits."""
    least, greatest = _WIDTHS
    columns = [[name, *(row[k] for row in rows)] for k, name in enumerate(header)]
    needs = [max(len(str("" if cell is None else cell)) for cell in one) + 2 for one in columns]
    return [min(max(need, least), greatest) for need in needs]
