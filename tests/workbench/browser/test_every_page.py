"""Every page in every state: accessible, laid out at each width, under its policy.

A page is opened once and stays open for all tests of it.
"""

from __future__ import annotations

from pathlib import Path

import axe
import pytest
from page_states import PRINTED_STATES, STATES
from reader import Reader

LAYOUT = (
    Path(__file__).with_name("layout.js").read_text(encoding="utf-8").partition("buttons.\n")[2]
)
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
WIDTHS = (1440, 1024, 390)


class OpenPage:
    """A page in one of its states; a printed page has no server."""

    def __init__(self, reader: Reader, host: str | None, status: int = 200) -> None:
        self.reader, self.page = reader, reader.page
        self.host, self.status = host, status

    def resize(self, width: int, direction: str = "ltr") -> None:
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.evaluate("dir => { document.documentElement.dir = dir; }", direction)


def _open_state(reader, site, state):
    if state.who:
        reader.log_in(site.url, state.who)
    else:
        reader.page.goto(site.enter_url)
    start = reader.page.url.partition("?")[0].rstrip("/")
    if state.path:
        url = site.url + state.path if state.path.startswith("/") else f"{start}/{state.path}"
        assert reader.page.goto(url).status == state.status
    state.prepare(reader.page)
    return OpenPage(reader, site.host, state.status)


CASES = [pytest.param(state, id=state.name) for state in STATES]
CASES += [pytest.param(name, id=name) for name in PRINTED_STATES]


@pytest.fixture(scope="module", params=CASES)
def opened(request, browser):
    """Open a page, and bring it into its state."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, ignore_https_errors=True)
    reader = Reader(context.new_page())
    if isinstance(request.param, str):
        reader.page.set_content(request.getfixturevalue("printed")(request.param))
        yield OpenPage(reader, None)
    else:
        site = request.getfixturevalue("shared_site")(request.param.project)
        yield _open_state(reader, site, request.param)
    context.close()


def axe_violations(opened):
    """Return what axe finds, by width and colour scheme."""
    opened.page.evaluate(axe.source())
    found = {}
    for width in (1280, 390):
        opened.resize(width)
        for scheme, rules in (("light", ()), ("dark", axe.COLOURS)):
            opened.page.emulate_media(color_scheme=scheme)
            if seen := axe.violations(opened.page, rules):
                found[width, scheme] = seen
    opened.page.emulate_media(color_scheme="light")
    return found


def layout_faults(opened, direction):
    """Return the faults of the layout, by width."""
    found = {}
    for width in WIDTHS:
        opened.resize(width, direction)
        opened.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        seen = opened.page.evaluate(f"({LAYOUT.strip()})()")
        if (beyond := opened.page.evaluate(OVERFLOW)) > 0:
            seen.append(f"{beyond} pixels wider than the window")
        if seen:
            found[width] = seen
    opened.resize(1280)
    return found


def test_axe_finds_no_violation_light_or_dark_on_a_desk_or_a_phone(opened):
    assert axe_violations(opened) == {}


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_nothing_scrolls_sideways_is_cut_off_or_lies_under_the_buttons(opened, direction):
    assert layout_faults(opened, direction) == {}


def test_no_other_host_is_asked_and_the_policy_is_kept(opened):
    assert opened.reader.hosts <= {opened.host}
    errors = [line for line in opened.reader.errors if opened.status == 200 or "policy" in line]
    assert errors == []
