"""JSON lines: one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.faults import OnFault
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
    try:
        value = json.loads(line, object_pairs_hook=without_repetition)
        if has_escaped_surrogate(line):
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} must be JSON, but is not: {error}") from error
    if not isinstance(value, dict):
        raise DataError(f"{where} must be a JSON object, but is a {type(value).__name__}")
    if line.count("[") + line.count("{") > DEPTH_LIMIT and _is_deep(value):
        raise DataError(f"{where} must not be nested deeper than {DEPTH_LIMIT}, but is")
    return value


class RepeatedNameError(ValueError):
    """A JSON object has one name twice, of which JSON would keep only the last value."""


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse one that has a name twice.

    >>> without_repetition([("fee", 0.8), ("refund", 0.1)])
    {'fee': 0.8, 'refund': 0.1}
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise RepeatedNameError(f"a name comes twice in an object: {name!r:.80}")
        found[name] = value
    return found


def has_escaped_surrogate(source: str) -> bool:
    r"""Say whether a JSON text may hold half of a surrogate pair, which cannot be encoded.

    >>> has_escaped_surrogate(r'{"text": "\uD83D"}'), has_escaped_surrogate('{"text": "a"}')
    (True, False)
    """
    return "\\ud" in source.lower()


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
