"""The report and the certificate, in a browser: on a desk, on a phone, in light and in dark."""

import numpy as np
import pytest
from calling import labels_of
from projects_made import make, make_project

from satc.assurance import certificate_html, certify
from satc.workbench.project.history import read_history
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import as_html, past_points
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store

NAMES = ("agricultural-commodities", "Consumer electronics", "gold", "oil", "ship", "x" * 70)
SHORTER = (*NAMES[:5], "telecommunications")
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
SCROLLING = """[...document.querySelectorAll(".wide")]
  .filter((box) => box.scrollWidth > box.clientWidth).length"""


def report_of(folder, names, **settings):
    """Return the report of a project on which two people have worked."""
    made, path = make(n=60), folder / "claims.satc"
    make_project(made, path, names=names, overlap=0.5, blind=0.3, **settings)
    store = open_store(path)
    desk = open_desk(store)
    for step in range(30):
        who = ("ann", "bartholomew-with-a-long-name")[step % 2]
        lease, _ = desk.next(who)
        desk.submit(lease.lease, who, labels_of(made, lease.document), 30.0)
    history = read_history(store, desk.project)
    points = past_points(store, desk.project, history)
    page = as_html(store, make_report(store, desk.project, history), history, points)
    store.close()
    return page


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return report_of(tmp_path_factory.mktemp("report"), NAMES)


@pytest.fixture(scope="module")
def report_in_balance(tmp_path_factory):
    """The report of a measure with a long name, which leaves little room for names of classes."""
    return report_of(tmp_path_factory.mktemp("report"), SHORTER, measure="balanced-accuracy")


@pytest.fixture(scope="module")
def report_of_audit(tmp_path_factory):
    return report_of(tmp_path_factory.mktemp("report"), NAMES, audit=0.5)


@pytest.fixture(scope="module")
def certificate():
    """The certificate of single-label data, with long names of classes."""
    predicted = np.eye(6, dtype=bool)[np.random.default_rng(0).integers(0, 6, 80)]
    log = [(i, np.flatnonzero(predicted[i]).tolist(), i > 9) for i in range(40)]
    return certificate_html(certify(predicted, log, single_label=True), {}, NAMES)


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


@pytest.mark.parametrize("name", ["report", "certificate"])
def test_neither_is_wider_than_a_phone(shown, name, request):
    for width in (320, 390):
        assert shown(request.getfixturevalue(name), width).evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("name", ["report", "report_in_balance", "certificate"])
def test_on_a_desk_only_a_word_that_is_too_long_is_broken(shown, name, request):
    page = shown(request.getfixturevalue(name), 1280)
    assert page.evaluate(OVERFLOW) <= 0
    assert page.evaluate(SCROLLING) == 0
    assert set(page.evaluate(BROKEN_WORDS)) <= {"x" * 70}


def test_the_report_is_dark_where_people_prefer_that(shown, report):
    paper, ink = shown(report, 1280, "light").evaluate(COLOURS)
    assert min(paper) > 200 > 100 > max(ink)
    paper, ink = shown(report, 1280, "dark").evaluate(COLOURS)
    assert max(paper) < 50 < 200 < min(ink)


def test_headers_stand_over_their_numbers(shown, certificate):
    page = shown(certificate, 1280)
    rows = page.locator(".wide tr")
    for place in range(6):
        head, cell = (rows.nth(i).locator("th, td").nth(place) for i in (0, 1))
        aligned = [one.evaluate("node => getComputedStyle(node).textAlign") for one in (head, cell)]
        assert aligned == (["left", "left"] if place == 0 else ["right", "right"])


@pytest.mark.parametrize("name", ["report", "certificate"])
def test_all_parts_are_in_landmarks(shown, name, request):
    page = shown(request.getfixturevalue(name), 1280)
    assert page.locator(LANDMARKS).count() == page.locator("h1, h2, table").count() > 3


def test_the_bars_of_shares_are_as_long_as_the_shares(shown, report_of_audit):
    rows = shown(report_of_audit, 1280).locator(".bars tbody tr")
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
