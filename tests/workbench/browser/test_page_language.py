"""The page speaks the language of the browser, or the one that was chosen on it."""

import pytest
from playwright.sync_api import expect

from satc.workbench.messages.languages import LANGUAGES


def test_the_browser_chooses_the_language(new_reader, site):
    reader = new_reader("de-AT")
    reader.page.goto(site.enter_url)
    expect(reader.page.locator("html")).to_have_attribute("lang", "de")
    expect(reader.page.locator("#language")).to_have_value("de")


def test_a_language_chosen_on_the_page_stays(reader, site):
    page = reader.page
    page.goto(site.enter_url)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.locator("#language").select_option("fr")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    refused = page.evaluate("fetch(ownAddress('/api/v1/projects/x')).then((r) => r.json())")
    assert refused["detail"] == "Il n’existe pas de projet « x »."


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_fits_a_phone_in_every_language(language, new_reader, site):
    reader = new_reader(language)
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.enter(site.enter_url)
    expect(reader.page.locator("html")).to_have_attribute("lang", language)
    widths = "[document.documentElement.scrollWidth, innerWidth]"
    found, most = reader.page.evaluate(widths)
    assert found <= most
    reader.press("Enter")
    assert reader.errors == []


@pytest.mark.parametrize(("locale", "date"), [("en-US", "11/17/26"), ("en-GB", "17/11/2026")])
def test_dates_are_written_as_in_the_country_of_the_browser(locale, date, new_reader, site):
    reader = new_reader(locale).enter(site.enter_url)
    script = """async () => (await import(ownAddress("/static/shared/format.js")))
      .datetime("2026-11-17T14:21:00")"""
    assert reader.page.evaluate(script).startswith(date)
