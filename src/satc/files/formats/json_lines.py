"""JSON lines: one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.faults import OnFault
from satc.files.formats.json_texts import parse_json
from satc.files.formats.rows import Row, Rows
from satc.files.formats.text_lines import read_lines

DEPTH_LIMIT = 100  # of nested lists and objects: later steps recurse into them


def write_json_lines(path: Path, lines: Iterable[str]) -> int:
    """Write a new file of objects that are JSON texts already; return their number."""
    count = 0
    with path.open("x", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(f"{line}\n")
            count += 1
    return count


def read_json_lines(path: Path, on_fault: OnFault) -> Rows:
    """Yield the objects; one that cannot be used goes to `on_fault`."""
    with closing(read_lines(path, on_fault)) as lines:  # closes the file, whatever happens
        for number, line in enumerate(lines, start=1):
            if line and not line.isspace():
                where = f"{path}, line {number}"
                try:
                    row = Row(where, _object(line, where))
                except DataError as error:
                    on_fault(error)
                else:
                    yield row


def _object(line: str, where: str) -> dict[str, Any]:
    value = parse_json(line, f"{where} must be JSON, but is not")
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
