"""Times as the store keeps them: ISO 8601 in UTC, which sort as they follow each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def now() -> str:
    """Return the present time."""
    return stamp(datetime.now(UTC))


def later(seconds: float) -> str:
    """Return the time in so many seconds."""
    return stamp(datetime.now(UTC) + timedelta(seconds=seconds))


def stamp(moment: datetime) -> str:
    """Write a time down.

    >>> stamp(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2026-01-02T03:04:05.000000+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
