"""The code book beside the document: stable keys, marks in place, chips."""

from playwright.sync_api import expect

KEYS_OF = """() => Object.fromEntries([...document.querySelectorAll(".label")].map((button) =>
  [button.querySelector(".name").textContent, button.querySelector("kbd")?.textContent ?? ""]))"""


def keys_of(reader):
    return reader.page.evaluate(KEYS_OF)


def test_every_class_keeps_its_place_and_key_from_document_to_document(reader, site):
    reader.enter(site.enter_url)
    keys, names = keys_of(reader), reader.offered
    assert names == [f"class {j + 1}" for j in range(15)]
    assert list(keys.values()) == [*"1234567890", *"abcei"]
    for _ in range(5):
        reader.accept()
        assert keys_of(reader) == keys
        assert reader.offered == names


def test_keys_of_the_book_come_first_and_letters_are_never_commands(reader, sports_site):
    reader.enter(sports_site.enter_url)
    keys = list(keys_of(reader).values())
    assert keys == ["1", "w", "c", "2", "3"]


def test_classes_stand_in_the_order_of_the_code_book(reader, reversed_site):
    reader.enter(reversed_site.enter_url)
    assert reader.offered == ["Zebra", "Monkey", "Ant"]


def test_predicted_and_possibly_missing_labels_are_marked_where_they_stand(reader, site):
    reader.enter(site.enter_url)
    rows = reader.page.locator(".labels li")
    marks = [row.get_attribute("data-mark") for row in rows.all()]
    assert 1 <= marks.count("missing") <= 6
    for row, mark in zip(rows.all(), marks, strict=True):
        shown = row.locator(".probability").inner_text()
        assert shown.endswith("%") if mark else shown == ""
        assert row.locator(".bar").is_visible() == bool(mark)


def test_chosen_labels_are_chips_that_remove_them(reader, site):
    reader.enter(site.enter_url)
    reader.press("1")
    chips = reader.page.locator("#chosen .chip .name")
    assert chips.all_inner_texts() == reader.chosen
    while reader.chosen:
        reader.page.locator("#chosen .chip").first.click()
    expect(reader.page.locator("#chosen-none")).to_be_visible()
    expect(reader.page.locator("#accept-word")).to_have_text("Accept without a label")
    reader.press("2")
    expect(reader.page.locator("#accept-word")).to_have_text("Accept and next")
    assert chips.all_inner_texts() == ["class 2"]
    reader.accept()
    expect(reader.page.locator(".decision .given").first).to_have_text("class 2")


def test_of_many_classes_at_most_six_are_suggested_by_probability(reader, intents_site):
    reader.enter(intents_site.enter_url)
    for _ in range(4):
        assert reader.page.locator("[data-mark=missing]").count() <= 6
        assert reader.page.locator("[data-mark=predicted]").count() == 1
        reader.accept()


def test_the_list_of_all_of_many_classes_opens(reader, intents_site):
    reader.enter(intents_site.enter_url)
    reader.page.locator("#tree-panel > summary").click()
    expect(reader.page.locator("#tree [role=treeitem]")).to_have_count(56)


def test_the_side_panel_stays_where_it_was_scrolled_to(reader, site):
    reader.page.set_viewport_size({"width": 1280, "height": 500})
    reader.enter(site.enter_url)
    reader.page.locator("#side").evaluate("node => { node.scrollTop = 60 }")
    reader.accept()
    assert reader.page.locator("#side").evaluate("node => node.scrollTop") == 60


def test_a_key_in_a_menu_or_an_open_dialog_is_no_command(reader, site):
    reader.enter(site.enter_url)
    before = reader.chosen
    reader.press("?", "1", "Escape")
    assert reader.chosen == before


SCROLLED = "() => document.querySelector('#reading').scrollTop > 0"


def test_a_new_document_is_read_from_its_beginning(reader, site):
    reader.page.set_viewport_size({"width": 1280, "height": 300})
    reader.enter(site.enter_url)
    text = reader.page.locator("#reading")
    for _ in range(2):
        text.hover()
        reader.page.mouse.wheel(0, 200)
        reader.page.wait_for_function(SCROLLED)
        reader.accept()
        assert text.evaluate("node => node.scrollTop") == 0


def test_given_labels_are_listed_in_the_order_of_the_code_book(reader, reversed_site):
    reader.enter(reversed_site.enter_url)
    for name in set(reader.offered) - set(reader.chosen):
        reader.page.locator(".label", has_text=name).click()
    reader.accept()
    given = reader.page.locator(".decision .given").first
    expect(given).to_have_text("Zebra · Monkey · Ant")


def test_a_chosen_label_stays_as_large_as_it_was(reader, site):
    reader.enter(site.enter_url)
    row = reader.page.locator('.labels li[data-mark="missing"] .name').first
    before = row.bounding_box()
    row.click()
    assert row.bounding_box() == before
