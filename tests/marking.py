"""The markers that tests get without writing them, and the order in which test files run."""

from __future__ import annotations

import pytest

# A test that uses the fixture, directly or through another fixture, has the marker.
MARKER_OF_FIXTURE = {
    "browser": "browser",
    "cluster": "postgresql",
    "spark": "spark",
    "data_home": "data",
    "records": "data",
}

# With two workers, a long file that starts last leaves one of them idle: long files start first.
SLOWEST_FILES: tuple[str, ...] = ()


def mark(item: pytest.Item) -> None:
    """Add the markers that follow from the fixtures of a test."""
    fixtures = getattr(item, "fixturenames", ())
    for fixture, marker in MARKER_OF_FIXTURE.items():
        if fixture in fixtures:
            item.add_marker(marker)
    if "postgresql" in _parameters(item):
        item.add_marker("postgresql")


def _parameters(item: pytest.Item) -> list[str]:
    """Return the values of a parametrised test that are texts."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return [value for value in values if isinstance(value, str)]


def slowest_files_first(item: pytest.Item) -> int:
    """Return the sort key of a test: the place of its file among the slowest files."""
    file = item.nodeid.partition("::")[0]
    return SLOWEST_FILES.index(file) if file in SLOWEST_FILES else len(SLOWEST_FILES)
