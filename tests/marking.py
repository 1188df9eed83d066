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

# A long file that starts last leaves the other workers idle: long files start first.
SLOWEST_FILES = (
    "tests/test_howto.py",
    "tests/workbench/browser/test_every_page.py",
    "tests/experiments/test_reuters.py",
    "tests/workbench/test_faults.py",
    "tests/scale/test_scale_spark.py",
    "tests/scale/test_scale_one_label.py",
    "tests/workbench/test_growth.py",
    "tests/test_documentation_complete.py",
    "tests/test_interrupted.py",
    "tests/workbench/test_label_studio.py",
    "tests/ranking/test_methods.py",
    "tests/test_distributions.py",
    "tests/assurance/test_accuracy.py",
    "tests/workbench/browser/test_page_manage.py",
    "tests/workbench/test_crowd.py",
    "tests/workbench/browser/test_page_session.py",
    "tests/workbench/browser/test_page_disagreements.py",
    "tests/workbench/test_beside.py",
    "tests/workbench/browser/test_page_documents.py",
    "tests/learners/test_mpboost.py",
    "tests/scale/test_scale_decisions.py",
    "tests/workbench/test_learning.py",
    "tests/calibration/test_contextual.py",
    "tests/scale/test_scale_standalone.py",
    "tests/texts/test_brighter_languages.py",
    "tests/cli/test_demo.py",
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
