"""The page of a project of which no label was known at first."""

import pytest
from playwright.sync_api import expect
from test_page_phone import OVERFLOW


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_says_what_is_not_known_and_where_it_stands(reader, cold_site, width):
    reader.page.set_viewport_size({"width": width, "height": 900})
    reader.enter(cold_site.enter_url)
    unknown, standing = (reader.page.locator(name) for name in ("#accuracy-unknown", "#standing"))
    expect(unknown).to_contain_text("not known yet: about 50 more random documents must be")
    expect(standing).to_contain_text("The probabilities come from the predictions alone")
    expect(reader.page.locator("#why-sentence")).to_contain_text("from the predictions alone")
    expect(reader.page.locator("#accuracy")).to_be_hidden()
    for _ in range(10):
        reader.accept()
    expect(standing).to_contain_text("learnt from 10 decisions")
    expect(unknown).to_contain_text("not known yet: about")
    reader.page.locator("#why summary").click()
    assert reader.page.evaluate(OVERFLOW) <= 0
    assert reader.errors == []


def test_without_an_audit_the_page_says_how_to_get_random_documents(reader, cold_unaudited_site):
    reader.enter(cold_unaudited_site.enter_url)
    expect(reader.page.locator("#accuracy-unknown")).to_contain_text("--audit 20%")


def test_with_enough_random_documents_the_accuracy_is_shown(reader, cold_known_site):
    reader.enter(cold_known_site.enter_url)
    value = reader.page.locator("#macro-value")
    expect(value).to_contain_text("(")
    expect(reader.page.locator("#accuracy-unknown")).to_be_hidden()
    expect(reader.page.locator("#plan-text")).to_contain_text("probability")
    reader.page.locator("#status > summary").click()
    expect(reader.page.locator("#curve")).to_be_visible()
    assert reader.errors == []
