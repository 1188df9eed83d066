"""Report, certificate and other printed pages: on a desk, a phone and paper, light and dark."""

import numpy as np
import pytest

OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
BROKEN_WORDS = """[...document.querySelectorAll("tbody tr > :first-child")].flatMap((cell) => {
  const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
  return [...text.data.matchAll(/[^\\s-]+/g)].filter((word) => {
    const range = document.createRange();
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    return new Set([...range.getClientRects()].map((box) => box.top)).size > 1;
  }).map((word) => word[0]);
})"""
COLOURS = """["backgroundColor", "color"].map((name) =>
  getComputedStyle(document.body)[name].match(/\\d+/g).map(Number))"""
LANDMARKS = "body > header h1, body > main h2, body > main table"
ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"
FILL = "node => getComputedStyle(node).fill.match(/\\d+/g).map(Number)"
DARK_TEXTS = """node => [...node.querySelectorAll("text")]
  .filter((text) => getComputedStyle(text).fill === "rgb(0, 0, 0)").length"""
BREAKS = """[...new Set([...document.querySelectorAll("tr, figure")]
  .map((node) => getComputedStyle(node).breakInside))]"""
PAGES = ("report", "certificate", "demonstration", "reproduction", "comparison")
SCROLLING = """[...document.querySelectorAll(".wide")]
  .filter((box) => box.scrollWidth > box.clientWidth).length"""


@pytest.fixture
def shown(browser):
    """Show a page of a given width: ``shown(html, width, scheme)``."""
    contexts = []

    def show(html, width, scheme="light"):
        size = {"width": width, "height": 900}
        contexts.append(browser.new_context(viewport=size, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.set_content(html)
        return page

    yield show
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", PAGES)
def test_none_is_wider_than_a_phone(shown, name, printed):
    for width in (320, 390):
        assert shown(printed(name), width).evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("name", ["report", "report in balance", "certificate"])
def test_on_a_desk_only_a_word_that_is_too_long_is_broken(shown, name, printed):
    page = shown(printed(name), 1280)
    assert page.evaluate(OVERFLOW) <= 0
    assert page.evaluate(SCROLLING) == 0
    assert set(page.evaluate(BROKEN_WORDS)) <= {"x" * 70}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_dark_on_a_dark_screen_and_never_on_paper(shown, name, printed):
    html = printed(name)
    paper, ink = shown(html, 1280, "light").evaluate(COLOURS)
    assert min(paper[:3]) > 200 > 100 > max(ink)
    page = shown(html, 1280, "dark")
    paper, ink = page.evaluate(COLOURS)
    assert max(paper[:3]) < 50 < 200 < min(ink)
    page.emulate_media(media="print", color_scheme="dark")
    paper, ink = page.evaluate(COLOURS)
    assert max(ink) < 100
    assert paper[3:] == [0] or min(paper[:3]) > 200


@pytest.mark.parametrize("name", PAGES)
def test_the_style_is_that_of_the_workbench_and_the_policy_of_the_page_allows_it(
    shown, name, printed
):
    page = shown(printed(name), 1280)
    assert page.evaluate("document.styleSheets.length") == 1
    assert page.evaluate(ACCENT) == "#1d5c86"
    assert page.evaluate("document.body.matches(':has(script, [style], [src])')") is False


def test_the_policy_of_a_page_forbids_scripts(shown, printed):
    html = printed("certificate")
    page = shown(html.replace("<main>", "<main><script>window.hacked = 1</script>"), 1280)
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("name", PAGES)
def test_wide_tables_scroll_by_themselves_and_keys_reach_them(shown, name, printed):
    page = shown(printed(name), 390)
    boxes = page.locator(".wide")
    assert page.locator("table").count() == boxes.count() > 0
    for box in boxes.all():
        assert box.get_attribute("tabindex") == "0"
        assert box.get_attribute("aria-label") == box.locator("caption").inner_text()
    assert page.locator("table :is(th):not([scope])").count() == 0


@pytest.mark.parametrize("name", ["report", "demonstration"])
def test_charts_have_a_name_and_the_colours_of_the_theme(shown, name, printed):
    page = shown(printed(name), 1280, "dark")
    charts = page.locator("figure > svg[role=img]")
    assert charts.count() == page.locator("figure > figcaption").count() > 0
    for chart in charts.all():
        assert len(chart.get_attribute("aria-label")) > 30
        assert min(chart.locator("text").first.evaluate(FILL)) > 200
        assert chart.evaluate(DARK_TEXTS) == 0


@pytest.mark.parametrize("name", PAGES)
def test_on_paper_nothing_is_cut_off(shown, name, printed):
    page = shown(printed(name), 680)  # the width of A4 between the margins
    page.emulate_media(media="print")
    assert page.locator("nav:visible").count() == 0
    assert page.evaluate(OVERFLOW) <= 0
    assert page.evaluate(BREAKS) == ["avoid"]
    assert len(page.pdf(format="A4")) > 10_000


def test_the_links_at_the_top_of_the_report_lead_to_its_sections(shown, printed):
    page = shown(printed("report"), 1280)
    places = [link.get_attribute("href") for link in page.locator("nav a").all()]
    headings = page.locator("main h2").all()
    assert places == [f"#{heading.get_attribute('id')}" for heading in headings]


def test_headers_stand_over_their_numbers(shown, printed):
    page = shown(printed("certificate"), 1280)
    rows = page.locator("table:has(thead) tr")
    for place in range(6):
        head, cell = (rows.nth(i).locator("th, td").nth(place) for i in (0, 1))
        aligned = [one.evaluate("node => getComputedStyle(node).textAlign") for one in (head, cell)]
        assert aligned == (["start", "start"] if place == 0 else ["end", "end"])


@pytest.mark.parametrize("name", PAGES)
def test_all_parts_are_in_landmarks(shown, name, printed):
    page = shown(printed(name), 1280)
    assert page.locator(LANDMARKS).count() == page.locator("h1, h2, table").count() > 2


def test_the_bars_of_shares_are_as_long_as_the_shares(shown, printed):
    rows = shown(printed("report of audit"), 1280).locator(".bars tbody tr")
    lengths, shares = [], []
    for row in rows.all():
        track, fill, line = (
            row.locator(one).bounding_box() for one in (".track", ".fill", ".range")
        )
        lengths.append(fill["width"])
        shares.append(float(row.locator("td").nth(1).inner_text().rstrip("%")))
        assert line["x"] <= fill["x"] + fill["width"] <= line["x"] + line["width"] + 1
        assert line["x"] + line["width"] <= track["x"] + track["width"] + 1
    assert len(shares) == 6
    assert np.array(lengths) / lengths[0] == pytest.approx(np.array(shares) / shares[0], abs=0.01)
