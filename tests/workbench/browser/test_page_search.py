"""Finding one class among ten thousand."""

from playwright.sync_api import expect


def test_a_class_is_found_by_its_first_letters_and_added(reader, wide_site):
    reader.enter(wide_site.enter_url)
    reader.press("/")
    reader.page.keyboard.type("class 9876")
    expect(reader.page.locator("#search-hits li")).to_have_count(1)
    reader.press("Enter", "Escape")
    assert reader.offered[-1] == "class 9876"
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
  const search = await import(ownAddress("/static/workbench/search.js"));
  return new search.ClassIndex(names).find(query);
}"""


def test_names_that_begin_with_the_letters_come_first(reader, site):
    reader.page.goto(f"{site.url}/login")
    names = ["crude oil", "oil", "Oilseed", "soil", "grain"]
    assert reader.page.evaluate(FIND, [names, "OIL"]) == [1, 2, 0, 3]
    assert reader.page.evaluate(FIND, [["grain", "\u00c9conomie"], "econ"]) == [1]


INDEXED = """async ([names, others, queries]) => {
  const { ClassIndex } = await import(ownAddress("/static/workbench/search.js"));
  const index = new ClassIndex(names, others);
  return queries.map((query) => index.find(query));
}"""


def test_words_may_come_in_any_order_and_with_one_typing_error(reader, site):
    reader.page.goto(f"{site.url}/login")
    names = ["Myocardial Infarction", "Heart Failure", "Hypertension", "Brain Infarction"]
    others = [["heart attack", "MI"], [], ["high blood pressure"], ["stroke"]]
    queries = {
        "infarction myocardial": [0],
        "infar": [3, 0],
        "infraction": [3, 0],  # two letters swapped
        "myocardail infarct": [0],
        "hypertensoin": [2],
        "hypretnsion": [],  # two errors
        "heart": [1, 0],  # the name before the synonym
        "attack heart": [0],
        "blood presure": [2],
        "mi": [0],
        "xylophone": [],
    }
    found = reader.page.evaluate(INDEXED, [names, others, list(queries)])
    assert dict(zip(queries, found, strict=True)) == queries


def test_words_that_are_written_as_one_are_found_if_nothing_else_is(reader, site):
    reader.page.goto(f"{site.url}/login")
    names = ["top_up_limits", "pending_top_up", "card_limits", "topup"]
    queries = {"topup limit": [0], "pendingtopup": [1], "topup": [3], "dl": []}
    found = reader.page.evaluate(INDEXED, [names, [[] for _ in names], list(queries)])
    assert dict(zip(queries, found, strict=True)) == queries


def test_a_number_is_no_typing_error_of_another_one(reader, site):
    reader.page.goto(f"{site.url}/login")
    names = [f"class {i}" for i in range(10_000)]
    assert reader.page.evaluate(INDEXED, [names, [], ["class 9876", "9876 class"]]) == [[9876]] * 2


MATCHES = """async (cases) => {
  const { matches } = await import(ownAddress("/static/workbench/search.js"));
  return cases.map(([text, query]) => matches(text, query).map(([a, b]) => text.slice(a, b)));
}"""


def test_the_words_that_were_found_are_marked(reader, site):
    reader.page.goto(f"{site.url}/login")
    cases = [
        ["Myocardial Infarction", "infar myo"],
        ["Myocardial Infarction", "infraction"],
        ["\u00c9conomie", "econ"],
        ["\u5fc3\u808c\u6897\u6b7b", "\u6897\u6b7b"],
    ]
    marked = [["Myo", "Infar"], ["Infarction"], ["\u00c9con"], ["\u6897\u6b7b"]]
    assert reader.page.evaluate(MATCHES, cases) == marked


def test_a_synonym_of_the_code_book_finds_its_class(reader, sports_site):
    reader.enter(sports_site.enter_url)
    reader.press("/")
    reader.page.keyboard.type("ballots")
    hit = reader.page.locator("#search-hits li").first
    expect(hit).to_contain_text("Elections")
    assert hit.locator("mark").all_inner_texts() == ["ballots"]


def test_after_a_search_the_keys_of_the_classes_work_again(reader, sports_site):
    reader.enter(sports_site.enter_url)
    reader.press("/")
    reader.page.keyboard.type("ballots")
    before = set(reader.chosen)
    reader.press("Enter")
    assert set(reader.chosen) ^ before == {"Elections"}
    reader.press("c")
    assert set(reader.chosen) ^ before == {"Elections", "Chess"}
