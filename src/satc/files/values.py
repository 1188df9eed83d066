"""Values of users' columns as JSON, as one line of text, and as plain Python values."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping
from datetime import date, time
from typing import Any

import numpy as np

Convert = Callable[[Any], Any]


def python_value(value: Any) -> Any:
    """Replace NumPy's numbers by Python's, and arrays and tuples by lists.

    >>> python_value((np.float32(0.5), np.array([1, 2])))
    [0.5, [1, 2]]
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple, np.ndarray)):
        return [python_value(item) for item in value]
    return value


def text_of_unknown(value: Any) -> str:
    """Return times as ISO 8601, bytes as base64, and all other values as their `str`."""
    if isinstance(value, (date, time)):
        return value.isoformat()
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def jsonable(
    value: Any,
    *,
    text: Convert | None = None,
    unknown: Convert = text_of_unknown,
) -> Any:
    """Return a value that `json.dumps` takes, with null for NaN and the infinities.

    Parameters
    ----------
    value
        The value; lists, tuples, arrays and mappings are converted item by item.
    text
        Converts every text, the keys of mappings included; without it, texts stay as they are.
    unknown
        Converts every value of a type that JSON does not have.

    Examples
    --------
    >>> from datetime import date
    >>> jsonable({"day": date(2024, 5, 1), "shares": (0.5, float("nan"))})
    {'day': '2024-05-01', 'shares': [0.5, None]}
    """
    return _converted(value, text, unknown)


def _converted(value: Any, text: Convert | None, unknown: Convert) -> Any:
    if isinstance(value, str):
        return value if text is None else text(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [_converted(item, text, unknown) for item in value]
    if isinstance(value, Mapping):
        name = str if text is None else lambda key: text(str(key))
        return {name(key): _converted(item, text, unknown) for key, item in value.items()}
    if isinstance(value, (np.generic, np.ndarray)):
        return _converted(value.tolist(), text, unknown)
    return unknown(value)


def to_json(value: Any, *, unknown: Convert = text_of_unknown) -> str:
    """Write a value as one line of JSON; `unknown` is that of `jsonable`."""
    return json.dumps(jsonable(value, unknown=unknown), ensure_ascii=False, allow_nan=False)


def as_text(value: Any) -> str | None:
    """Return texts as they are, times as ISO 8601, None as None, and all other values as JSON.

    >>> [as_text(value) for value in ("a", True, [1, "b"], None)]
    ['a', 'true', '[1, "b"]', None]
    """
    plain = jsonable(value)
    return plain if plain is None or isinstance(plain, str) else to_json(plain)
