"""The checks that `test_every_page` makes can fail: pages with faults."""

import axe
import pytest
from test_every_page import LAYOUT, OVERFLOW

WIDE = "x" * 300
OVER = "position: fixed; inset: 0"
UNSEEN = "position: absolute; width: 1px; overflow: hidden"
FAULTS = {
    "outside the window": f"<p>{WIDE}</p>",
    "cut off": f'<div style="overflow: hidden"><p>{WIDE}</p></div>',
    "under the buttons": f'<div class="actions" style="{OVER}">Accept</div><p>Text</p>',
}
FAULTS["squeezed"] = '<p style="width: 10px; overflow-wrap: anywhere">Customer survey</p>'
FINE = {
    "scrolls": f'<div style="overflow-x: auto"><p>{WIDE}</p></div>',
    "is shortened": f'<p style="overflow: hidden; text-overflow: ellipsis">{WIDE}</p>',
    "is for screen readers": f'<p style="{UNSEEN}">{WIDE}</p>',
    "is above the buttons": '<p>Text</p><div class="actions">Accept</div>',
}


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 390, "height": 800})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_layout_is_found(page, fault):
    page.set_content(FAULTS[fault])
    assert any(said.startswith(fault) for said in page.evaluate(f"({LAYOUT.strip()})()"))
    assert (page.evaluate(OVERFLOW) > 0) == (fault == "outside the window")


@pytest.mark.parametrize("case", FINE)
def test_a_text_that_people_can_reach_is_no_fault(page, case):
    page.set_content(FINE[case])
    assert page.evaluate(f"({LAYOUT.strip()})()") == []


def test_axe_finds_faint_texts_missing_landmarks_and_wrong_names(page):
    page.set_content(
        '<html lang="en"><title>A page</title><p style="color: #ccc">faint</p>'
        '<main><h1>A page</h1><button aria-label="Remove">why</button></main></html>'
    )
    page.evaluate(axe.source())
    found = {said.partition(":")[0] for said in axe.violations(page)}
    assert {"color-contrast", "region", "label-content-name-mismatch"} <= found
    assert {said.partition(":")[0] for said in axe.violations(page, axe.COLOURS)} == {
        "color-contrast"
    }
