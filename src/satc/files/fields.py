"""Checks of the values of a row: id, text, labels, person, time; errors name the position."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from satc.errors import DataError

Values = Mapping[str, Any]


def required(values: Values, name: str, where: str) -> Any:
    """Return a value that must be present."""
    if name not in values:
        raise DataError(
            f"{where} must have {name!r}, but has {', '.join(map(repr, values)) or 'nothing'}"
        )
    return values[name]


def document_id(value: Any, name: str, where: str) -> str:
    """Return an id: a string that is not empty, or an integer."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return value
    raise DataError(
        f"{where}: {name!r} must be a string that is not empty, or an integer, but is {value!r:.80}"
    )


def text(value: Any, name: str, where: str) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise DataError(f"{where}: {name!r} must be a string, but is {value!r:.80}")
    return value


def label_names(value: Any, name: str, where: str) -> tuple[str, ...]:
    """Return labels, each once: a list of strings, none of them empty."""
    if not isinstance(value, list) or not all(isinstance(x, str) and x.strip() for x in value):
        raise DataError(
            f"{where}: {name!r} must be a list of labels (an empty one where the document has "
            f"none), but is {value!r:.80}"
        )
    return tuple(dict.fromkeys(value))


def person(value: Any, name: str, where: str) -> str | None:
    """Return a person's name, or the number by which another program knows the person."""
    if value is None or value == "":
        return None
    who = document_id(value, name, where)
    if "\0" in who:  # PostgreSQL cannot store it
        raise DataError(f"{where}: {name!r} must be without NUL characters, but is {who!r:.80}")
    return who


def timestamp(value: Any, name: str, where: str) -> datetime | None:
    """Return a time in UTC; one without a time zone is taken as UTC.

    >>> timestamp("2024-05-01T14:30:00+02:00", "created_at", "a.json, task 1").isoformat()
    '2024-05-01T12:30:00+00:00'
    """
    if value is None or value == "":
        return None
    try:
        when = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"{where}: {name!r} must be a time in ISO 8601, as '2024-05-01T12:30:00Z', "
            f"but is {value!r:.80}"
        ) from None
