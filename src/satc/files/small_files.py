"""Small files that are read at once: guidelines, and weights of classes."""

from __future__ import annotations

import json
import math
from pathlib import Path

from satc.errors import DataError
from satc.files.archives import reading_errors
from satc.files.documents import PathLike

TEXT_LIMIT = 1_000_000  # bytes


def read_text(path: PathLike) -> str:
    """Read a text file in UTF-8, with or without a byte order mark."""
    path = Path(path)
    with reading_errors(path), path.open("rb") as file:
        content = file.read(TEXT_LIMIT + 1)
    if len(content) > TEXT_LIMIT:
        raise DataError(f"{path} must have at most {TEXT_LIMIT:,} bytes, but has more")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(
            f"{path}, line {line} must be UTF-8, but has the byte 0x{content[error.start]:02x}"
        ) from error
    if "\0" in text:
        raise DataError(f"{path} must be a text, but holds NUL characters")
    return text


def read_class_weights(path: PathLike) -> dict[str, float]:
    """Read the weights of classes, by name: a JSON object of numbers, none of them negative."""
    try:
        weights = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f'{path} must be JSON such as {{"wheat": 2}}: {error}') from error
    if not isinstance(weights, dict):
        raise DataError(f'{path} must be JSON such as {{"wheat": 2}}, but is no object')
    return {name: _weight(value, name, path) for name, value in weights.items()}


def _weight(value: object, name: str, path: PathLike) -> float:
    try:
        number = float(value) if isinstance(value, (int, float)) else math.nan
    except OverflowError:
        number = math.inf
    if isinstance(value, bool) or not 0.0 <= number < math.inf:
        raise DataError(
            f"{path}: the weight of {name!r} must be a number from 0 on, but is {value!r:.80}"
        )
    return number
