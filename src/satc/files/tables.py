"""Write a table as CSV, TSV, JSON, JSON lines or Parquet: complete, or not at all.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula, so such texts
get a ``'`` in front in CSV and TSV; numbers do not. Lists are joined by ``|`` there.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from satc.files.atomic import placed
from satc.files.cells import escaped
from satc.files.documents import PathLike

Columns = Mapping[str, Sequence[Any]]


def write_table(path: PathLike, columns: Columns) -> None:
    """Write columns of equal length; the file's ending says the format.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "ranking.csv"
    >>> write_table(target, {"id": ["=1+1", "b"], "utility": [-0.5, 0.25]})
    >>> target.read_text().splitlines()
    ['id,utility', "'=1+1,-0.5", 'b,0.25']
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in _WRITERS:
        raise ValueError(f"path must end with one of {', '.join(_WRITERS)}, but is {str(path)!r}")
    plain = {name: _plain(values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in plain.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns must have the same length, but have {lengths}")
    with placed(path) as temporary:
        _WRITERS[ending](temporary, plain)


def _plain(values: Any) -> list[Any]:
    """Replace NumPy's numbers by Python's."""
    return [_plain_value(value) for value in values]


def _plain_value(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain_value(item) for item in value]
    return value


def _write_delimited(path: Path, columns: dict[str, list[Any]], delimiter: str) -> None:
    with path.open("x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)  # its \r\n makes it quote both
        writer.writerow([_cell(name) for name in columns])
        writer.writerows(
            [_cell(value) for value in row] for row in zip(*columns.values(), strict=True)
        )


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        value = "|".join(map(str, value))
    return escaped(value) if isinstance(value, str) else value


def _write_json(path: Path, columns: dict[str, list[Any]]) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write("[\n")
        for i, line in enumerate(_json_rows(columns)):
            file.write(f"{',' if i else ' '}{line}\n")
        file.write("]\n")


def _write_json_lines(path: Path, columns: dict[str, list[Any]]) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in _json_rows(columns))


def _json_rows(columns: dict[str, list[Any]]) -> Iterator[str]:
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, map(_finite, values), strict=True))
        yield json.dumps(row, ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    """Replace what JSON does not have, NaN and the infinities, by null."""
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _write_parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pa.array(values)
        except (pa.ArrowException, OverflowError) as error:
            raise ValueError(f"column {name!r} must hold values of one kind: {error}") from error
    pq.write_table(pa.table(arrays), path)


_WRITERS: dict[str, Callable[[Path, dict[str, list[Any]]], None]] = {
    ".csv": lambda path, columns: _write_delimited(path, columns, ","),
    ".tsv": lambda path, columns: _write_delimited(path, columns, "\t"),
    ".json": _write_json,
    ".jsonl": _write_json_lines,
    ".parquet": _write_parquet,
}
