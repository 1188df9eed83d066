"""Rows of a file of documents, whatever its format: one mapping each, and where it stands.

Text is UTF-8, with or without a byte order mark. Every fault is a `DataError` that names the file
and the line, what must hold and what came.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from satc.datasets.archives import damage, opened
from satc.errors import DataError

FIELD_LIMIT = 10_000_000  # characters of a CSV cell
LINE_LIMIT = 1 << 26  # bytes
PARQUET_BATCH = 1_000


class Row(NamedTuple):
    """Where a row stands ("data.csv, line 7"), and its values by column."""

    where: str
    values: dict[str, Any]


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a CSV, TSV, JSON lines or Parquet file, by its ending."""
    endings = [suffix.lower() for suffix in path.suffixes]
    kind = endings[-2] if endings[-1:] == [".gz"] and len(endings) > 1 else "".join(endings[-1:])
    if kind not in _READERS:
        raise ValueError(
            f"{path} must end with {', '.join(_READERS)} (all but .parquet also with .gz), "
            f"but ends with {kind!r}"
        )
    return _READERS[kind](path)


def _delimited(path: Path, delimiter: str) -> Iterator[Row]:
    csv.field_size_limit(max(csv.field_size_limit(), FIELD_LIMIT))
    table = csv.reader(_lines(path), delimiter=delimiter, strict=True)
    try:
        header = _header(next(table, []), path)
        for cells in table:
            if cells:  # an empty line has none
                where = f"{path}, line {table.line_num}"
                if len(cells) != len(header):
                    raise DataError(
                        f"{where} must have as many cells as the header, {len(header)}, "
                        f"but has {len(cells)}"
                    )
                yield Row(where, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DataError(f"{path}, line {table.line_num}: {error}") from error


def _header(cells: list[str], path: Path) -> list[str]:
    if not any(cell.strip() for cell in cells):
        raise DataError(f"{path} must begin with a line that names the columns, but does not")
    header = [cell.strip() for cell in cells]
    twice = {name for name in header if header.count(name) > 1}
    if twice:
        raise DataError(f"{path}: column names must differ, but {sorted(twice)[0]!r} comes twice")
    return header


def _json_lines(path: Path) -> Iterator[Row]:
    for number, line in enumerate(_lines(path), start=1):
        if not line.isspace():
            where = f"{path}, line {number}"
            yield Row(where, _json_object(line, where))


def _json_object(line: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
        if "\\ud" in line.lower():  # half of a surrogate pair is no text
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} must be JSON, but is not: {error}") from error
    if not isinstance(value, dict):
        raise DataError(f"{where} must be a JSON object, but is a {type(value).__name__}")
    return value


def _parquet(path: Path) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with damage(path), pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=PARQUET_BATCH):
                for values in batch.to_pylist():
                    number += 1
                    yield Row(f"{path}, row {number}", values)
    except pa.ArrowException as error:
        raise DataError(
            f"{path} must be a Parquet file, but is damaged or none: {error}"
        ) from error


def _lines(path: Path) -> Iterator[str]:
    with opened(path) as file:
        number = 0
        while line := file.readline(LINE_LIMIT + 1):
            number += 1
            if number == 1:
                if line.startswith((b"\xff\xfe", b"\xfe\xff")):
                    raise DataError(f"{path} must be UTF-8, but is UTF-16; save it as UTF-8")
                line = line.removeprefix(b"\xef\xbb\xbf")
            if len(line) > LINE_LIMIT:
                raise DataError(f"{path}, line {number} is longer than {LINE_LIMIT:,} bytes")
            yield _decoded(line, f"{path}, line {number}")


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where} must be UTF-8, but its byte {error.start + 1} is 0x{line[error.start]:02x}"
        ) from error


_READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".csv": lambda path: _delimited(path, ","),
    ".tsv": lambda path: _delimited(path, "\t"),
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}
