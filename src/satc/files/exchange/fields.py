"""What every reader asks of a row: id, labels, person, time; or an error that says where."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from satc.errors import DataError

Values = Mapping[str, Any]


def identity(value: Any, name: str, where: str) -> str:
    """Return an id: a string that is not empty, or an integer."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return value
    raise DataError(
        f"{where}: {name!r} must be a string that is not empty, or an integer, but is {value!r:.80}"
    )


def names(value: Any, name: str, where: str) -> tuple[str, ...]:
    """Return labels: a list of strings, none of them empty; each counts once."""
    if not isinstance(value, list) or not all(isinstance(x, str) and x.strip() for x in value):
        raise DataError(
            f"{where}: {name!r} must be a list of labels (an empty one where the document has "
            f"none), but is {value!r:.80}"
        )
    return tuple(dict.fromkeys(value))


def person(value: Any, name: str, where: str) -> str | None:
    """Return who it was: a name, or the number by which another program knows them."""
    if value is None or value == "":
        return None
    who = identity(value, name, where)
    if "\0" in who:  # PostgreSQL has no such texts
        raise DataError(f"{where}: {name!r} must be without NUL characters, but is {who!r:.80}")
    return who


def moment(value: Any, name: str, where: str) -> datetime | None:
    """Return a time in UTC; one without a zone is taken as UTC.

    >>> moment("2024-05-01T14:30:00+02:00", "created_at", "a.json, task 1").isoformat()
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


def of(values: Values, name: str, where: str) -> Any:
    """Return a value that must be there."""
    if name not in values:
        raise DataError(
            f"{where} must have {name!r}, but has {', '.join(map(repr, values)) or 'nothing'}"
        )
    return values[name]


def text(value: Any, name: str, where: str) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise DataError(f"{where}: {name!r} must be a string, but is {value!r:.80}")
    return value
