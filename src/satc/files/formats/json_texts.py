"""JSON texts: no name twice in an object, and no half of a surrogate pair."""

from __future__ import annotations

import json
from typing import Any

from satc.errors import DataError


def parse_json(text: str, requirement: str) -> Any:
    """Return the value of a JSON text; `requirement` begins the error message.

    >>> parse_json('{"fee": 0.8}', "thresholds.json must be JSON")
    {'fee': 0.8}
    >>> parse_json('{"fee": 0.8, "fee": 0.1}', "thresholds.json must be JSON")
    Traceback (most recent call last):
    satc.errors.DataError: thresholds.json must be JSON: a name comes twice in an object: 'fee'
    """
    try:
        value = json.loads(text, object_pairs_hook=without_repetition)
        if has_escaped_surrogate(text):
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise DataError(f"{requirement}: {error}") from error
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
