"""Files about classes: their names, and their thresholds."""

from __future__ import annotations

from satc.errors import DataError
from satc.files.code_book import read_code_book
from satc.files.documents import PathLike
from satc.files.formats.json_texts import parse_json
from satc.files.small_files import read_text


def read_classes(path: PathLike) -> tuple[str, ...]:
    """Read the names of classes: one per line, a JSON list, or the codes of a code book."""
    return read_code_book(path).codes


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
