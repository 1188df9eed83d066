"""The tutorial and the how-to pages can be followed as they stand."""

from pathlib import Path

import pytest

from pages import check, follow, plain, run

DOCS = Path(__file__).parents[1] / "docs"
REAL_DATA = {"howto/two_stage.md": "reuters21578"}  # pages that need a dataset
PAGES = ["tutorial.md", *(f"howto/{path.name}" for path in sorted(DOCS.glob("howto/*.md")))]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_followed(page, tmp_path, monkeypatch, request):
    if page in REAL_DATA:
        request.getfixturevalue("dataset")(REAL_DATA[page])
        monkeypatch.setenv("SATC_DATA", str(request.getfixturevalue("data_home")))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert follow(DOCS / page) >= 2


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (["3 documents are ready"], "4,000 documents  are ready\n"),
        (["first ...", "third"], "first of all\nsecond\nthird\n"),
    ],
)
def test_what_a_page_shows_may_differ_in_figures_and_be_cut(shown, printed):
    check(shown, printed, "a page")


@pytest.mark.parametrize("shown", [["three documents"], ["second", "first"], ["first", "first"]])
def test_what_a_page_shows_must_be_printed_in_its_order(shown):
    with pytest.raises(AssertionError, match="must print"):
        check(shown, "first\nsecond\n", "a page")


def test_words_are_compared_though_figures_are_not():
    assert plain("micro-F1 is about 0.9") != plain("macro-F1 is about 0.9")


def test_a_command_that_fails_fails_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match=r"satc report nothing\.satc"):
        run("satc report nothing.satc")
