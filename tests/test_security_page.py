"""Every answer that docs/security.md gives has a test, and the test is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = [line.split("|") for line in PAGE.splitlines() if line.startswith("| ")]
THREATS = [row for row in ROWS if row[1].strip() != "threat"]


def test_every_threat_names_tests_that_exist():
    written = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/test_*.py"))
    known = set(re.findall(r"^def (test_\w+)", written, re.MULTILINE))
    assert len(THREATS) > 25
    for row in THREATS:
        named = re.findall(r"`(test_\w+)`", row[4])
        assert named, row[1]
        assert not set(named) - known, row[1]


def test_every_file_that_the_page_names_is_there():
    home = ROOT / "src" / "satc"
    for row in THREATS:
        for name in re.findall(r"`([\w/.]+)`", row[3]):
            places = (home / name, home / "workbench" / name)
            assert any(place.exists() for place in places), name
