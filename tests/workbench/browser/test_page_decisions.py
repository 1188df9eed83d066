"""The last decisions, and how they are changed."""

from playwright.sync_api import expect


def open_last(reader):
    reader.page.locator(".decision").first.click()
    expect(reader.page.locator("#editing-banner")).to_be_visible()


def test_an_earlier_decision_is_edited_in_place(reader, site):
    reader.enter(site.enter_url)
    first = reader.document
    second = reader.accept()
    open_last(reader)
    reader.wait_for(first)
    reader.press("1")
    changed = reader.chosen
    with reader.saving():
        reader.press("Enter")
    reader.wait_for(second)
    expect(reader.page.locator("#editing-banner")).not_to_be_visible()
    open_last(reader)
    assert set(reader.chosen) == set(changed)
    reader.wait_for_validated(1)


def test_escape_leaves_an_earlier_decision_as_it_was(reader, site):
    reader.enter(site.enter_url)
    reader.press("2")
    kept = reader.chosen
    second = reader.accept()
    open_last(reader)
    reader.press("1", "Escape")
    reader.wait_for(second)
    open_last(reader)
    assert set(reader.chosen) == set(kept)


def test_what_was_chosen_before_the_editing_is_still_chosen_after_it(reader, site):
    reader.enter(site.enter_url)
    second = reader.accept()
    reader.press("1", "4")
    chosen = reader.chosen
    open_last(reader)
    reader.press("Escape")
    reader.wait_for(second)
    assert reader.chosen == chosen


def test_neither_skip_nor_undo_is_offered_while_editing(reader, site):
    reader.enter(site.enter_url)
    first = reader.document
    reader.accept()
    open_last(reader)
    reader.press("s", "u")
    for command in ("skip", "undo"):
        expect(reader.page.locator(f".actions [data-command={command}]")).not_to_be_visible()
    assert reader.document == first


def test_undo_after_an_edit_brings_the_labels_from_before_back(reader, site):
    reader.enter(site.enter_url)
    kept = reader.chosen
    second = reader.accept()
    open_last(reader)
    reader.press("1")
    with reader.saving():
        reader.press("Enter")
    reader.press("u")
    expect(reader.page.locator("#alerts")).to_contain_text("Your change is undone.")
    assert reader.document == second
    open_last(reader)
    assert set(reader.chosen) == set(kept)


def test_what_several_undos_say_does_not_pile_up(reader, site):
    reader.enter(site.enter_url)
    reader.press("f")
    reader.accept()
    for text in ("Your decision is undone", "Your flag is removed"):
        reader.press("u")
        expect(reader.page.locator("#alerts .notice")).to_contain_text(text)
    expect(reader.page.locator("#alerts .notice")).to_have_count(1)
