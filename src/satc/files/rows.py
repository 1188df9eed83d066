"""Rows of a file of documents, whatever its format: one mapping each, and where it stands.

Text is UTF-8, with or without a byte order mark. Every fault is a `DataError` that names the file
and the line, what must hold and what came.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from satc.errors import DataError
from satc.files.archives import damage, opened
from satc.files.faults import OnFault, stop

FIELD_LIMIT = 10_000_000  # characters of a CSV cell
LINE_LIMIT = 1 << 26  # bytes
PARQUET_BATCH = 1_000
DEPTH_LIMIT = 100  # of lists and objects in each other; what follows goes down into them


class Row(NamedTuple):
    """Where a row stands ("data.csv, line 7"), and its values by column."""

    where: str
    values: dict[str, Any]


def rows(path: Path, on_fault: OnFault = stop) -> Iterator[Row]:
    """Yield the rows of a CSV, TSV, JSON lines or Parquet file, by its ending.

    A row that cannot be used goes to `on_fault`; if that returns, reading goes on behind it.
    """
    endings = [suffix.lower() for suffix in path.suffixes]
    kind = endings[-2] if endings[-1:] == [".gz"] and len(endings) > 1 else "".join(endings[-1:])
    if kind not in _READERS:
        raise ValueError(
            f"{path} must end with {', '.join(_READERS)} (all but .parquet also with .gz), "
            f"but ends with {kind!r}"
        )
    return _READERS[kind](path, on_fault)


def _delimited(path: Path, delimiter: str, on_fault: OnFault) -> Iterator[Row]:
    csv.field_size_limit(max(csv.field_size_limit(), FIELD_LIMIT))
    table = csv.reader(_lines(path, on_fault), delimiter=delimiter, strict=True)
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
        elif cells:  # an empty line has none
            where = f"{path}, line {table.line_num}"
            if len(cells) == len(header):
                yield Row(where, dict(zip(header, cells, strict=True)))
            else:
                on_fault(_ragged(where, header, cells))


def _reason(error: csv.Error) -> str:
    if "new-line character" in str(error):  # its advice is for programmers
        return "a carriage return must end a line with a line feed, or stand in a quoted cell"
    return str(error)


def _ragged(where: str, header: list[str], cells: list[str]) -> DataError:
    return DataError(
        f"{where} must have as many cells as the header, {len(header)}, but has {len(cells)}"
    )


def _header(cells: list[str], path: Path) -> list[str]:
    if not any(cell.strip() for cell in cells):
        raise DataError(f"{path} must begin with a line that names the columns, but does not")
    header = [cell.strip() for cell in cells]
    check_names(header, path)
    return header


def check_names(names: list[str], path: Path) -> None:
    """Refuse two columns of one name: only one of them would be seen."""
    twice = {name for name, times in Counter(names).items() if times > 1}
    if twice:
        raise DataError(f"{path}: column names must differ, but {min(twice)!r} comes twice")


def _json_lines(path: Path, on_fault: OnFault) -> Iterator[Row]:
    for number, line in enumerate(_lines(path, on_fault), start=1):
        if line and not line.isspace():
            where = f"{path}, line {number}"
            try:
                row = Row(where, _json_object(line, where))
            except DataError as error:
                on_fault(error)
            else:
                yield row


def _json_object(line: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
        if "\\ud" in line.lower():  # half of a surrogate pair is no text
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} must be JSON, but is not: {error}") from error
    if not isinstance(value, dict):
        raise DataError(f"{where} must be a JSON object, but is a {type(value).__name__}")
    if line.count("[") + line.count("{") > DEPTH_LIMIT and _is_deep(value):
        raise DataError(f"{where} must not be nested deeper than {DEPTH_LIMIT}, but is")
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEPTH_LIMIT + 1):
        level = [
            item
            for one in level
            if isinstance(one, (dict, list))
            for item in (one.values() if isinstance(one, dict) else one)
        ]
    return bool(level)


def _parquet(path: Path, on_fault: OnFault) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with damage(path), pq.ParquetFile(path) as file:
            check_names(file.schema_arrow.names, path)
            for batch in file.iter_batches(batch_size=PARQUET_BATCH):
                yield from _python_rows(batch, path, number, on_fault)
                number += batch.num_rows
    except pa.ArrowException as error:
        raise DataError(
            f"{path} must be a Parquet file, but is damaged or none: {error}"
        ) from error


def _python_rows(batch: Any, path: Path, before: int, on_fault: OnFault) -> Iterator[Row]:
    """Yield the rows of a batch; one at a time where Python lacks a value, to say which."""
    try:
        found = batch.to_pylist()
    except (OverflowError, ValueError) as error:
        if batch.num_rows > 1:
            for i in range(batch.num_rows):
                yield from _python_rows(batch.slice(i, 1), path, before + i, on_fault)
        else:
            on_fault(DataError(f"{path}, row {before + 1} holds what cannot be read: {error}"))
        return
    for number, values in enumerate(found, start=before + 1):
        yield Row(f"{path}, row {number}", values)


def _lines(path: Path, on_fault: OnFault) -> Iterator[str]:
    """Yield the lines; one that is not text is empty, where `on_fault` lets reading go on."""
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
            yield _decoded(line, f"{path}, line {number}", on_fault)


def _decoded(line: bytes, where: str, on_fault: OnFault) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"its byte {error.start + 1} is 0x{line[error.start]:02x}"
        on_fault(DataError(f"{where} must be UTF-8, but {byte}"))
        return ""


_READERS: dict[str, Callable[[Path, OnFault], Iterator[Row]]] = {
    ".csv": lambda path, on_fault: _delimited(path, ",", on_fault),
    ".tsv": lambda path, on_fault: _delimited(path, "\t", on_fault),
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}
