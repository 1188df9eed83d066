"""Times as texts: ISO 8601 in UTC, so that sorting the texts sorts the times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def now() -> str:
    """Return the current time."""
    return stamp(datetime.now(UTC))


def later(seconds: float) -> str:
    """Return the time that many seconds from now."""
    return stamp(datetime.now(UTC) + timedelta(seconds=seconds))


def seconds_until(moment: str) -> float:
    """Return how many seconds from now a time is; a negative number if it is past."""
    return (datetime.fromisoformat(moment) - datetime.now(UTC)).total_seconds()


def stamp(moment: datetime) -> str:
    """Return a time as a text.

    >>> stamp(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2026-01-02T03:04:05.000000+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
