"""A part of a larger set is on the desk; the page gets the rest as it is needed."""

from playwright.sync_api import expect


def test_the_work_goes_on_until_the_whole_stored_set_is_validated(reader, stored_site):
    reader.enter(stored_site.enter_url)
    expect(reader.page.locator("#progress-short")).to_contain_text("0 of 14")
    seen = [reader.document, *(reader.accept() for _ in range(13))]
    assert sorted(seen) == [f"d{i:05d}" for i in range(14)]
    reader.press("Enter")
    heading = reader.page.locator("#no-document-heading")
    expect(heading).to_have_text("All 14 documents are checked.")
    assert reader.errors == []
