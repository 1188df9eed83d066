"""A row of a file: its values by column, and its position for error messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any, NamedTuple

from satc.errors import DataError


class Row(NamedTuple):
    """The position of a row ("data.csv, line 7"), and its values by column."""

    where: str
    values: dict[str, Any]


Rows = Generator[Row, None, None]  # closing it closes the file


def check_column_names(names: list[str], path: Path | str) -> None:
    """Refuse two columns of the same name: only one of them would be read."""
    repeated = {name for name, times in Counter(names).items() if times > 1}
    if repeated:
        raise DataError(f"{path}: column names must differ, but {min(repeated)!r} comes twice")
