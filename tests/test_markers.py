"""Tests have the markers of what they need, and load nothing that others need."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from marking import MARKER_OF_FIXTURE, SLOWEST_FILES, mark, slowest_files_first

ROOT = Path(__file__).parents[1]
# Run pytest, and print the packages that are loaded in the end.
SCRIPT = """
import sys, pytest
code = pytest.main(sys.argv[1:])
print(*{name.partition(".")[0] for name in sys.modules})
sys.exit(code)
"""


def item_of(*fixtures, **parameters):
    """Make a test, as far as `mark` looks at it, and mark it; return its markers."""
    found = []
    call = SimpleNamespace(params=parameters)
    mark(SimpleNamespace(fixturenames=fixtures, callspec=call, add_marker=found.append))
    return found


@pytest.mark.slow
def test_tests_of_sigma_load_neither_the_web_framework_nor_the_browser():
    options = ["-q", "-p", "no:cacheprovider", "tests/calibration", "-k", "sigma"]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *options], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    loaded = set(done.stdout.splitlines()[-1].split())
    assert {"pytest", "numpy"} <= loaded
    assert not loaded & {"fastapi", "starlette", "playwright", "sqlalchemy", "schemathesis"}


@pytest.mark.parametrize(("fixture", "marker"), MARKER_OF_FIXTURE.items())
def test_a_test_has_the_markers_of_its_fixtures(fixture, marker):
    assert item_of("tmp_path", fixture) == [marker]
    assert item_of("tmp_path") == []


def test_only_the_case_of_postgresql_has_its_marker(location, request):
    marker = request.node.get_closest_marker("postgresql")
    assert (marker is not None) == str(location).startswith("postgresql")


def test_parameters_that_are_no_texts_set_no_marker():
    assert item_of(location="sqlite", size=3, names=["postgresql"]) == []


def test_the_slowest_files_exist_and_come_first():
    assert all((ROOT / name).is_file() for name in SLOWEST_FILES)
    names = ["tests/test_markers.py", *reversed(SLOWEST_FILES), "src/satc/inputs.py"]
    items = [SimpleNamespace(nodeid=f"{name}::test") for name in names]
    ordered = [item.nodeid.partition("::")[0] for item in sorted(items, key=slowest_files_first)]
    assert ordered == [*SLOWEST_FILES, names[0], names[-1]]
