"""What stays, what goes away, and how a person likes to read."""

from playwright.sync_api import expect

DECISION = "**/leases/*/decision"
GONE = {"detail": "This document went to somebody else."}


def refuse(reader, pattern=DECISION):
    reader.page.route(pattern, lambda route: route.fulfill(status=409, json=GONE))


def test_a_refusal_goes_away_when_the_person_goes_on(reader, site):
    reader.enter(site.enter_url)
    refuse(reader)
    reader.accept()
    alert = reader.page.locator("#alerts .error")
    expect(alert).to_have_count(1)
    reader.page.unroute(DECISION)
    reader.accept()
    expect(alert).to_have_count(0)


def test_a_refusal_goes_away_by_itself_but_not_under_the_pointer(reader, site):
    reader.page.clock.install()
    reader.enter(site.enter_url)
    refuse(reader)
    reader.accept()
    alert = reader.page.locator("#alerts .error")
    alert.hover()
    reader.page.clock.fast_forward(60_000)
    expect(alert).to_have_count(1)
    reader.page.locator("#document-text").hover()
    reader.page.clock.fast_forward(60_000)
    expect(alert).to_have_count(0)


def test_of_several_undone_actions_only_the_last_one_is_told(reader, site):
    reader.enter(site.enter_url)
    reader.accept()
    with reader.saving("/flag"):
        reader.press("f")
    alerts = reader.page.locator("#alerts .notice > span")
    reader.press("u")
    expect(alerts).to_have_text(["Your flag is removed again."])
    reader.press("u")
    expect(alerts).to_have_text(["Your decision is undone. Its document is open again."])


def test_a_refusal_can_be_dismissed(reader, site):
    reader.enter(site.enter_url)
    refuse(reader)
    reader.accept()
    reader.page.get_by_role("button", name="Dismiss").click()
    expect(reader.page.locator("#alerts .error")).to_have_count(0)


def test_ticked_labels_survive_a_reload(reader, site):
    reader.enter(site.enter_url)
    document = reader.accept()
    reader.press("3", "5")
    chosen = reader.chosen
    reader.page.reload()
    reader.wait_for(document)
    assert reader.chosen == chosen


def test_an_unsaved_note_survives_a_reload(reader, site):
    reader.enter(site.enter_url)
    document = reader.document
    reader.press("n")
    reader.page.keyboard.type("half a thought")
    reader.page.reload()
    reader.wait_for(document)
    expect(reader.page.locator("#note-dialog")).to_be_visible()
    expect(reader.page.locator("#note-text")).to_have_value("half a thought")
    with reader.saving("/note"):
        reader.press("Control+Enter")
    expect(reader.page.locator("#document-note-text")).to_have_text("half a thought")
    reader.page.reload()
    reader.wait_for(document)
    expect(reader.page.locator("#note-dialog")).not_to_be_visible()


def test_a_reloaded_page_counts_the_same_document(reader, site):
    reader.enter(site.enter_url)
    heading = reader.page.locator("#document-heading")
    for _ in range(3):
        reader.accept()
    reader.wait_for_validated(3)
    expect(heading).to_have_text("Document 4 of 20")
    document = reader.document
    reader.page.reload()
    reader.wait_for(document)
    expect(heading).to_have_text("Document 4 of 20")


def test_the_export_menu_closes(reader, site):
    reader.enter(site.enter_url)
    summary = reader.page.locator("summary", has_text="Export")
    item = reader.page.get_by_role("link", name="Excel")
    for leave in ("Escape", "click", "Tab"):
        summary.click()
        expect(item).to_be_visible()
        if leave == "click":
            reader.page.locator("#document-text").click()
        else:
            reader.press(*[leave] * (1 if leave == "Escape" else 7))
        expect(item).not_to_be_visible()


def test_h_hides_the_marks_and_the_browser_remembers_it(reader, worded_site):
    reader.enter(worded_site.enter_url)
    mark = reader.page.locator("#document-text mark").first
    line = "node => getComputedStyle(node).textDecorationLine"
    expect(mark).to_be_visible()
    assert mark.evaluate(line) == "underline"
    reader.press("h")
    assert mark.evaluate(line) == "none"
    expect(reader.page.locator("#legend")).not_to_be_visible()
    reader.page.reload()
    expect(mark).to_be_visible()
    assert mark.evaluate(line) == "none"
    reader.press("h")
    assert mark.evaluate(line) == "underline"


def test_g_opens_and_closes_the_guidelines(reader, site):
    reader.enter(site.enter_url)
    before = reader.document
    guidelines = reader.page.get_by_role("dialog", name="Guidelines")
    reader.press("g")
    expect(guidelines).to_contain_text("This project has no guidelines.")
    reader.press("g")
    expect(guidelines).not_to_be_visible()
    reader.press("g", "Escape")
    expect(guidelines).not_to_be_visible()
    assert reader.document == before


def test_text_size_width_and_typeface_are_chosen_and_remembered(reader, site):
    reader.enter(site.enter_url)
    text = reader.page.locator("#document-text")
    style = "node => [parseFloat(getComputedStyle(node).fontSize), node.offsetWidth]"
    size, width = text.evaluate(style)
    reader.page.locator("#view > summary").click()
    for name in ("Large", "Narrow", "Sans-serif"):
        reader.page.get_by_role("radio", name=name, exact=True).check()
    larger, narrower = text.evaluate(style)
    assert larger > size
    assert narrower < width
    reader.page.get_by_role("radio", name="Monospace").check()
    reader.page.reload()
    expect(reader.page.locator("#reading")).to_be_visible()
    assert "monospace" in text.evaluate("node => getComputedStyle(node).fontFamily")


def test_settings_that_a_page_cannot_read_are_replaced(reader, site):
    reader.enter(site.enter_url)
    reader.page.evaluate("localStorage.setItem('satc.view', '{nonsense')")
    reader.enter(site.enter_url)
    expect(reader.page.locator("body")).to_have_attribute("data-text-size", "medium")
    assert reader.errors == []


def test_news_do_not_move_the_text(reader, site):
    reader.enter(site.enter_url)
    reader.accept()
    before = reader.page.locator("#document-text").bounding_box()
    reader.press("f", "u")
    expect(reader.page.locator("#alerts .info")).to_be_visible()
    assert reader.page.locator("#document-text").bounding_box() == before
