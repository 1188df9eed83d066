"""Texts are hostile: they are shown, never run."""

import re

from playwright.sync_api import expect


def test_markup_in_a_document_is_shown_as_it_is(reader, hostile_site):
    reader.enter(hostile_site.enter_url)
    for _ in range(3):
        assert "<script>" in reader.text
        assert "onerror=" in reader.text
        assert reader.page.locator("#document-text :not(mark)").count() == 0
        reader.accept()
    expect(reader.page.locator(".decision .snippet").first).to_contain_text("<script>")
    assert reader.page.locator("#main img, #main script, #main b.hostile").count() == 0
    assert reader.page.evaluate("window.hacked") is None
    assert reader.dialogs == []
    assert reader.errors == []


def test_the_page_asks_no_other_host(reader, site):
    reader.enter(site.enter_url)
    reader.accept()
    reader.wait_for_validated(1)
    assert reader.hosts == {site.host}


PIECES = """async ([text, words]) => {
  const { pieces } = await import(ownAddress("/static/workbench/text.js"));
  return pieces(text, words).map(({ text, weight }) => [text, weight]);
}"""


def test_offsets_count_code_points_and_marks_stay_within_the_text(reader, site):
    reader.page.goto(f"{site.url}/login")
    text = "\U0001f600\U0001f600 profit rose"
    words = [{"start": 3, "end": 9, "weight": 0.5}]
    cut = reader.page.evaluate(PIECES, [text, words])
    assert cut == [["\U0001f600\U0001f600 ", 0], ["profit", 0.5], [" rose", 0]]
    words = [
        {"start": 4, "end": 99, "weight": -1},
        {"start": 0, "end": 3, "weight": 1},
        {"start": 2, "end": 5, "weight": 1},
    ]
    cut = reader.page.evaluate(PIECES, ["one two", words])
    assert cut == [["one", 1], [" ", 0], ["two", -1]]


def test_the_words_of_the_label_that_is_pointed_at_are_marked(reader, worded_site):
    reader.enter(worded_site.enter_url)
    legend = reader.page.locator("#legend")
    expect(legend).to_be_visible()
    text = reader.text
    for way in ("hover", "focus", "click"):
        row = reader.page.locator('.labels li:not([data-mark=""])').nth(
            ("hover", "focus", "click").index(way)
        )
        name = row.locator(".name").inner_text()
        getattr(row.locator(".why" if way == "click" else ".label"), way)()
        expect(legend.locator("b")).to_have_text(name)
        expect(legend).to_have_text(re.compile(rf"^Words for {name}: .+\. Words against: .+\.$"))
        assert reader.page.locator("#document-text mark").count() >= 1
        assert reader.text == text


SHOWN = """async ([text, words]) => {
  const { showText, strongestWords } = await import(ownAddress("/static/workbench/text.js"));
  showText(text, words);
  return strongestWords(text, words, 1);
}"""


def test_words_that_hardly_matter_are_not_marked(reader, site):
    reader.enter(site.enter_url)
    weights = [0.01, 1.0, 0.14, 0.4]
    words = [{"start": 2 * i, "end": 2 * i + 1, "weight": w} for i, w in enumerate(weights)]
    assert reader.page.evaluate(SHOWN, ["a b c d", words]) == ["b", "d"]
    assert reader.page.locator("#document-text mark").all_inner_texts() == ["b", "d"]
