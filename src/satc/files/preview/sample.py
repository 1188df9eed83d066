"""The first rows of a file, with cells short enough to be shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from satc.errors import DataError
from satc.files.faults import OnFault
from satc.files.formats.json_lists import read_json_list
from satc.files.formats.reader import read_rows
from satc.files.formats.rows import Row

ROWS = 200  # that are read to guess the columns
CELL = 300  # characters of a cell that are shown
_MOST_CHARACTERS = 20_000_000  # of all cells together: a hostile file has huge ones


class Sample(NamedTuple):
    """Columns and first rows of a file; `fault` is the first row that cannot be read, or ""."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    fault: str = ""

    def cells(self, column: str) -> list[Any]:
        """Return the cells of a column; None where a row lacks it."""
        return [row.values.get(column) for row in self.rows]


def read_sample(path: Path, n_rows: int = ROWS) -> Sample:
    """Read the first rows of a file; rows that cannot be read are left out."""
    faults: list[DataError] = []
    rows: list[Row] = []
    left = _MOST_CHARACTERS
    with _rows(path, faults.append) as found:
        for row in found:
            rows.append(row)
            left -= sum(len(cell) for cell in row.values.values() if isinstance(cell, str))
            if len(rows) >= n_rows or left < 0:
                break
    if not rows:
        raise faults[0] if faults else DataError(f"{path} must have rows, but has none")
    columns = tuple(dict.fromkeys(name for row in rows for name in row.values))
    return Sample(columns, tuple(rows), str(faults[0]) if faults else "")


@contextmanager
def _rows(path: Path, on_fault: OnFault) -> Iterator[Iterator[Row]]:
    """Open the rows of a file of documents or, in JSON, of predictions."""
    if path.suffix.lower() == ".json":
        yield read_json_list(path, list_as="outputs")
        return
    with closing(read_rows(path, on_fault)) as found:
        yield found


def shown_cell(value: Any) -> str:
    """Return a cell as a short text.

    >>> shown_cell(["price", "staff"]), shown_cell(None)
    ('price, staff', '')
    """
    if value is None:
        return ""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= CELL else f"{text[:CELL]}…"
