"""Finding one class among ten thousand."""

from playwright.sync_api import expect


def test_a_class_is_found_by_its_first_letters_and_added(reader, wide_site):
    reader.enter(wide_site.enter_url)
    reader.press("/")
    reader.page.keyboard.type("class 9876")
    expect(reader.page.locator("#search-hits li")).to_have_count(1)
    reader.press("Enter", "Escape")
    assert reader.page.locator("#labels-added .name").all_inner_texts() == ["class 9876"]
    assert "class 9876" in reader.chosen
    assert reader.focus == "document-heading"


def test_the_active_hit_is_named_to_the_field(reader, wide_site):
    reader.enter(wide_site.enter_url)
    reader.press("/")
    reader.page.keyboard.type("class 12")
    expect(reader.page.locator("#search-hits li")).to_have_count(12)
    reader.press("ArrowDown", "ArrowDown")
    field = reader.page.locator("#search")
    assert field.get_attribute("aria-expanded") == "true"
    active = field.get_attribute("aria-activedescendant")
    assert reader.page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    assert active == "hit-2"


def test_digits_and_letters_in_the_field_are_text(reader, wide_site):
    reader.enter(wide_site.enter_url)
    before, chosen = reader.document, reader.chosen
    reader.press("/")
    reader.page.keyboard.type("1sfun?")
    assert reader.page.locator("#search").input_value() == "1sfun?"
    assert reader.document == before
    assert reader.chosen == chosen
    expect(reader.page.locator("#search-none")).to_contain_text("No class contains")


def test_enter_in_the_empty_field_goes_back_and_then_accepts(reader, wide_site):
    reader.enter(wide_site.enter_url)
    before = reader.document
    reader.press("/")
    reader.page.keyboard.type("class 55")
    reader.press("Enter", "Enter")
    assert reader.document == before
    assert reader.focus == "document-heading"
    reader.accept()
    expect(reader.page.locator(".decision .given").first).to_contain_text("class 55")


def test_a_label_that_is_found_again_is_switched_off(reader, wide_site):
    reader.enter(wide_site.enter_url)
    for _ in range(2):
        reader.press("/")
        reader.page.keyboard.type("class 9876")
        reader.press("Enter", "Escape")
    assert "class 9876" in reader.offered
    assert "class 9876" not in reader.chosen


FIND = """async ([names, query]) => {
  const search = await import("/static/search.js");
  return search.find(search.prepare(names), query);
}"""


def test_names_that_begin_with_the_letters_come_first(reader, site):
    reader.page.goto(f"{site.url}/login")
    names = ["crude oil", "oil", "Oilseed", "soil", "grain"]
    assert reader.page.evaluate(FIND, [names, "OIL"]) == [1, 2, 0, 3]
    assert reader.page.evaluate(FIND, [["grain", "\u00c9conomie"], "econ"]) == [1]
