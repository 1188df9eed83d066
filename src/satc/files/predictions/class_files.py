"""Files about classes: their names, and their thresholds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.documents import PathLike
from satc.files.formats.json_texts import parse_json
from satc.files.small_files import read_text


def read_classes(path: PathLike) -> tuple[str, ...]:
    """Read the names of classes: one per line, or a JSON list of strings."""
    text = read_text(path)
    names: Any = text.splitlines()
    if Path(path).suffix.lower() == ".json" or text.lstrip().startswith("["):
        names = parse_json(text, f'{path} must be JSON such as ["refund", "fee"]')
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError(f'{path} must be a name per line, or JSON such as ["refund", "fee"]')
    found = [name.strip() for name in names if name.strip()]
    if not found:
        raise DataError(f"{path} must name at least one class, but names none")
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise DataError(f"{path} must name every class once, but names {twice!r} twice")
    return tuple(found)


class Thresholds(dict[str, float]):
    """Thresholds by class, with the file that they come from."""

    path: PathLike = "thresholds"


def read_thresholds(path: PathLike) -> Thresholds:
    """Read the thresholds of classes, by name: a JSON object of numbers between 0 and 1."""
    found = parse_json(read_text(path), f'{path} must be JSON such as {{"refund": 0.3}}')
    if not isinstance(found, dict):
        raise DataError(f'{path} must be JSON such as {{"refund": 0.3}}, but is no object')
    thresholds = Thresholds((name, _threshold(value, name, path)) for name, value in found.items())
    thresholds.path = path
    return thresholds


def _threshold(value: object, name: str, path: PathLike) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
        raise DataError(
            f"{path}: the threshold of {name!r} must be above 0 and below 1, but is {value!r:.80}"
        )
    return float(value)
