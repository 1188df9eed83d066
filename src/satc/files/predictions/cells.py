"""Cells of a file of predictions: numbers, probabilities of classes as JSON, and labels."""

from __future__ import annotations

import math
from typing import Any

from satc.errors import DataError
from satc.files.formats.decimal_signs import DecimalSigns
from satc.files.formats.json_texts import parse_json
from satc.files.labels.cells import distinct_labels, split_labels
from satc.predictions import WORDS


class Numbers:
    """Reads numbers; a percent sign divides by 100, and the first one is remembered.

    A number may have a decimal comma, as in the files of spreadsheet programs in many countries.
    """

    def __init__(self) -> None:
        self.percent_at: str | None = None
        self.signs = DecimalSigns()

    def read(self, value: Any, where: str, name: str) -> float:
        """Return a finite number."""
        number = self._number(value, where)
        if not math.isfinite(number):
            raise DataError(f"{where}: {name!r} must be a number, but is {value!r:.80}")
        return number

    def quiet(self, value: Any) -> float:
        """Return a number, or NaN."""
        return self._number(value, "")

    def _number(self, value: Any, where: str) -> float:
        if not isinstance(value, str):
            return _as_float(value)
        plain = value.strip()
        if plain.endswith("%"):
            self.percent_at = self.percent_at or where
            return _as_float(self.signs.with_point(plain[:-1], where)) / 100.0
        return _as_float(self.signs.with_point(plain, where))


def _as_float(value: Any) -> float:
    """Return a number, and NaN for everything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return math.nan
    if isinstance(value, str) and "_" in value:  # Python's own way to write thousands
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def probability(value: Any, where: str, name: str, numbers: Numbers | None = None) -> float:
    """Return a number from 0 to 1; "80%" is 0.8, and words as "high" have their numbers.

    `numbers` remembers the decimal signs of a file.
    """
    if isinstance(value, str) and value.strip().lower() in WORDS:
        return WORDS[value.strip().lower()]
    if isinstance(value, str) and value.strip()[:1].isalpha():
        raise DataError(
            f"{where}: {name!r} must be a number from 0 to 1, or one of {', '.join(WORDS)}, but is "
            f"{value!r:.80}"
        )
    number = (numbers or Numbers()).read(value, where, name)
    if not 0.0 <= number <= 1.0:
        raise DataError(
            f"{where}: {name!r} must be from 0 to 1 (80 percent is 0.8 or 80%), but is "
            f"{value!r:.80}"
        )
    return number


def confidence(
    value: Any,
    labels: tuple[str, ...],
    separator: str,
    where: str,
    name: str,
    numbers: Numbers | None = None,
) -> Any:
    """Return a probability for all labels of a row, or a dictionary of probabilities by class."""
    numbers = numbers or Numbers()
    value = from_json(value, where, name)
    if isinstance(value, str) and separator in value:
        value = value.split(separator)
    if isinstance(value, dict) or _are_outputs(value):
        found = by_class(value, numbers, where, name)
        return {key: probability(one, where, name) for key, one in found.items()}
    if not isinstance(value, list):
        return probability(value, where, name, numbers)
    if len(value) != len(labels):
        raise DataError(
            f"{where}: {name!r} must have one number for each of the {len(labels)} labels, "
            f"but has {len(value)}"
        )
    pairs = zip(labels, value, strict=True)
    return {label: probability(one, where, name, numbers) for label, one in pairs}


def by_class(value: Any, numbers: Numbers, where: str, name: str) -> dict[str, float]:
    """Return the numbers of classes: {"refund": 0.8}, or [{"label": "refund", "score": 0.8}]."""
    value = from_json(value, where, name)
    if _are_outputs(value):
        value = _of_outputs(value, where, name)
    if not isinstance(value, dict):
        raise DataError(
            f'{where}: {name!r} must be JSON such as {{"refund": 0.8}} or '
            f'[{{"label": "refund", "score": 0.8}}], but is {value!r:.80}'
        )
    found: dict[str, float] = {}
    for key, one in value.items():
        if one is not None:  # Parquet has all keys in every row
            label = _class_name(key, where, name)
            _check_once(label, found, where, name)
            found[label] = numbers.read(one, where, name)
    return found


def from_json(value: Any, where: str, name: str) -> Any:
    """Return the value of a cell that is JSON; other cells do not change."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    return parse_json(value, f"{where}: {name!r} must be JSON, but is not")


def is_fraction(value: Any) -> bool:
    """Whether a cell is a number that cannot be the number of a class: 0.5 or "50%"."""
    number = Numbers().quiet(value)
    return math.isfinite(number) and (number != int(number) or str(value).rstrip().endswith("%"))


def is_number(value: Any) -> bool:
    """Whether a cell is a number."""
    return math.isfinite(Numbers().quiet(value))


def label_set(value: Any, separator: str | None, where: str, name: str) -> tuple[str, ...]:
    """Return the labels of a cell; without a separator, the cell is one label, whole."""
    if separator is not None:
        value = from_json(value, where, name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        return distinct_labels([value]) if separator is None else split_labels(value, separator)
    names = value if value is not None else []
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise DataError(f"{where}: {name!r} must be a list of labels, but is {value!r:.80}")
    return distinct_labels(names)


def _are_outputs(value: Any) -> bool:
    """Whether this is a list of {"label": ..., "score": ...}, as Hugging Face returns it."""
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) for x in value)


def _of_outputs(value: list[dict[str, Any]], where: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in value:
        if not {"label", "score"} <= set(one):
            raise DataError(
                f'{where}: {name!r} must hold {{"label": ..., "score": ...}}, but holds {one!r:.80}'
            )
        label = _class_name(one["label"], where, name)
        _check_once(label, found, where, name)
        found[label] = one["score"]
    return found


def _class_name(value: Any, where: str, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"{where}: {name!r} must name a class, but names {value!r:.80}")
    return value.strip()


def _check_once(label: str, found: dict[str, Any], where: str, name: str) -> None:
    if label in found:
        raise DataError(f"{where}: {name!r} must name every class once, but {label!r} is twice")
