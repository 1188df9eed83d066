"""The tutorial and the how-to pages can be followed as they stand."""

from pathlib import Path

import pytest

from pages import follow

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ["tutorial.md", *(f"howto/{path.name}" for path in sorted(DOCS.glob("howto/*.md")))]


@pytest.mark.xdist_group("pages")  # what is compiled for the first one serves them all
@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_followed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert follow(DOCS / page) >= 2
