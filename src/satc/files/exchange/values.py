"""Values of the input's further columns, as JSON knows them and as one line of text."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from datetime import date, time
from typing import Any

import numpy as np


def jsonable(value: Any) -> Any:
    """Replace what JSON does not have.

    Times become ISO 8601, bytes base64, NaN and the infinities null, all else that is strange its
    own text.

    >>> from datetime import date
    >>> jsonable({"day": date(2024, 5, 1), "shares": (0.5, float("nan"))})
    {'day': '2024-05-01', 'shares': [0.5, None]}
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return jsonable(value.tolist())
    if isinstance(value, (date, time)):
        return value.isoformat()
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def to_json(value: Any) -> str:
    """Write a value as one line of JSON."""
    return json.dumps(jsonable(value), ensure_ascii=False, allow_nan=False)


def as_text(value: Any) -> str | None:
    """Return texts as they are, times as ISO 8601, all else as JSON, and None as None.

    >>> [as_text(value) for value in ("a", True, [1, "b"], None)]
    ['a', 'true', '[1, "b"]', None]
    """
    plain = jsonable(value)
    return plain if plain is None or isinstance(plain, str) else to_json(plain)
