"""The markers that tests get without writing them, and the order in which test files run."""

from __future__ import annotations

import pytest

# A test that uses the fixture, directly or through another fixture, has the marker.
MARKER_OF_FIXTURE = {
    "browser": "browser",
    "cluster": "postgresql",
    "spark": "spark",
    "standalone": "spark",
    "data_home": "data",
    "records": "data",
    "soffice": "slow",
    "served": "slow",  # a server process starts
}

# With two workers, a long file that starts last leaves one of them idle: long files start first.
SLOWEST_FILES = (
    "tests/scale/test_scale_spark.py",
    "tests/workbench/browser/test_every_page.py",
    "tests/workbench/test_crowd.py",
    "tests/experiments/test_reuters.py",
    "tests/test_howto.py",
    "tests/workbench/test_growth.py",
    "tests/workbench/browser/test_page_session.py",
    "tests/test_distributions.py",
    "tests/calibration/test_contextual.py",
    "tests/test_interrupted.py",
    "tests/test_documentation_complete.py",
    "tests/ranking/test_methods.py",
    "tests/learners/test_mpboost.py",
    "tests/scale/test_scale_validation.py",
    "tests/scale/test_scale_ranking.py",
    "tests/workbench/browser/test_page_team.py",
    "tests/workbench/browser/test_page_outage.py",
    "tests/cli/test_demo.py",
    "tests/test_readme.py",
    "tests/workbench/test_openapi.py",
)


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
