"""A day at the workbench, by keyboard alone."""

from playwright.sync_api import expect


def test_one_key_accepts_and_goes_on(reader, site):
    reader.enter(site.enter_url)
    seen = [reader.document, *(reader.accept() for _ in range(4))]
    reader.wait_for_validated(4)
    assert len(set(seen)) == 5
    assert reader.errors == []


def test_the_space_bar_accepts_as_well(reader, site):
    reader.enter(site.enter_url)
    before = reader.document
    reader.press("Space")
    reader.wait_for_another(before)
    reader.wait_for_validated(1)


def test_the_focus_is_on_the_heading_of_each_new_document(reader, site):
    reader.enter(site.enter_url)
    assert reader.focus == "document-heading"
    reader.press("/")
    assert reader.focus == "search"
    reader.press("Escape")
    reader.accept()
    assert reader.focus == "document-heading"


def test_what_is_predicted_is_chosen_at_first(reader, site):
    reader.enter(site.enter_url)
    assert reader.chosen == reader.page.locator("[data-mark=predicted] .name").all_inner_texts()


def test_a_digit_switches_its_label(reader, site):
    reader.enter(site.enter_url)
    third = reader.page.locator(".label").nth(2)
    before = third.get_attribute("aria-pressed")
    reader.press("3")
    assert third.get_attribute("aria-pressed") != before
    reader.press("3")
    assert third.get_attribute("aria-pressed") == before


def test_what_was_chosen_is_what_is_saved(reader, site):
    reader.enter(site.enter_url)
    reader.press("1", "3")
    chosen = reader.chosen
    reader.accept()
    given = reader.page.locator(".decision .given").first
    expect(given).to_be_visible()
    assert set(given.inner_text().split(" · ")) == set(chosen or ["no label"])


def test_holding_a_key_down_does_not_run_through_the_documents(reader, site):
    reader.enter(site.enter_url)
    first = reader.document
    reader.page.keyboard.down("Enter")
    second = reader.wait_for_another(first)
    for _ in range(5):
        reader.page.keyboard.down("Enter")
    reader.page.keyboard.up("Enter")
    reader.wait_for_validated(1)
    assert reader.document == second


def test_undo_opens_the_last_document_with_the_labels_that_were_given(reader, site):
    reader.enter(site.enter_url)
    first = reader.document
    reader.press("3")
    chosen = reader.chosen
    second = reader.accept()
    reader.press("u")
    reader.wait_for(first)
    assert set(reader.chosen) == set(chosen)
    reader.wait_for_validated(0)
    assert reader.accept() == second


def test_an_undo_with_nothing_to_undo_says_so(reader, site):
    reader.enter(site.enter_url)
    before = reader.document
    reader.press("u")
    expect(reader.page.locator("#alerts")).to_contain_text("nothing yet that could be undone")
    assert reader.document == before


def test_undo_is_a_stack_of_what_the_person_did(reader, site):
    reader.enter(site.enter_url)
    first = reader.document
    second = reader.accept()
    with reader.saving("/flag"):
        reader.press("f")
    with reader.saving("/skip"):
        reader.press("s")
    third = reader.wait_for_another(second)
    flag = reader.page.locator("#flag")
    reader.press("u")  # the skipped document comes back, with its flag
    reader.wait_for(second)
    expect(flag).to_have_attribute("aria-pressed", "true")
    reader.press("u")  # the flag
    expect(flag).to_have_attribute("aria-pressed", "false")
    expect(reader.page.locator("#alerts")).to_contain_text("Your flag is removed again.")
    reader.press("u")  # the decision
    reader.wait_for(first)
    assert reader.accept() == second
    assert reader.accept() == third


def test_undo_takes_back_a_note(reader, site):
    reader.enter(site.enter_url)
    note = reader.page.locator("#document-note-text")
    reader.press("n")
    reader.page.keyboard.type("one")
    with reader.saving("/note"):
        reader.press("Control+Enter")
    expect(note).to_have_text("one")
    reader.press("u")
    expect(note).not_to_be_visible()


def test_several_undos_in_a_row_go_back_several_decisions(reader, site):
    reader.enter(site.enter_url)
    seen = [reader.document, *(reader.accept() for _ in range(3))]
    reader.wait_for_validated(3)
    reader.press("u", "u", "u")
    reader.wait_for(seen[0])
    reader.wait_for_validated(0)
    assert [reader.accept() for _ in range(3)] == seen[1:]


def test_a_skipped_document_gives_way_and_is_not_decided(reader, site):
    reader.enter(site.enter_url)
    before = reader.document
    with reader.saving("/skip"):
        reader.press("s")
    reader.wait_for_another(before)
    reader.wait_for_validated(0)


def test_a_flag_and_a_note_are_kept(reader, site):
    reader.enter(site.enter_url)
    document = reader.document
    with reader.saving("/flag"):
        reader.press("f")
    reader.press("n")
    reader.page.keyboard.type("2 of 3 agree; ask? /usr")
    with reader.saving("/note"):
        reader.press("Control+Enter")
    reader.page.reload()
    reader.wait_for(document)
    expect(reader.page.locator("#flag")).to_have_attribute("aria-pressed", "true")
    expect(reader.page.locator("#document-note-text")).to_have_text("2 of 3 agree; ask? /usr")


def test_a_note_that_is_left_with_escape_is_not_kept(reader, site):
    reader.enter(site.enter_url)
    reader.press("n")
    reader.page.keyboard.type("no")
    reader.press("Escape")
    expect(reader.page.locator("#note-dialog")).not_to_be_visible()
    expect(reader.page.locator("#document-note")).not_to_be_visible()


def test_the_keys_are_shown_on_request(reader, site):
    reader.enter(site.enter_url)
    reader.press("?")
    shown = reader.page.locator("#keys-list kbd").all_inner_texts()
    assert {"Enter", "/", "u", "s", "f", "n", "?"} <= set(shown)
    reader.press("Escape")
    before = reader.document
    reader.press("Enter")
    reader.wait_for_another(before)


def test_a_reload_goes_on_with_the_same_document(reader, site):
    reader.enter(site.enter_url)
    document = reader.accept()
    reader.page.reload()
    reader.wait_for(document)


def test_a_reload_after_an_undo_goes_on_with_the_document_that_was_undone(reader, site):
    reader.enter(site.enter_url)
    first = reader.document
    reader.accept()
    reader.press("u")
    reader.wait_for(first)
    reader.page.reload()
    reader.wait_for(first)


def test_why_the_document_is_next_is_said(reader, site):
    reader.enter(site.enter_url)
    expect(reader.page.locator("#why-sentence")).not_to_be_empty()
    reader.page.locator("#why summary").click()
    assert reader.page.locator("#why-table tbody tr").count() >= 1


SENTENCE = """async (plan) => {
  const { planSentence } = await import(ownAddress("/static/workbench/plan.js"));
  return planSentence({ probability: 0.9, hours: null, cost: null, ...plan });
}"""


def test_the_plan_speaks_of_time_and_money_only_where_they_are_known(reader, site):
    reader.enter(site.enter_url)

    def sentence(**plan):
        return reader.page.evaluate(SENTENCE, plan)

    assert sentence(documents=0) == "The target is reached already, with 90% probability."
    more = "1,200 more documents to reach it with 90% probability"
    assert sentence(documents=1200) == f"{more}."
    assert sentence(documents=1200, cost=0) == f"{more}."
    at_pace = f"{more}, about 3 hours at the present pace"
    assert sentence(documents=1200, hours=3) == f"{at_pace}."
    costly = sentence(documents=1200, hours=3, cost=90)
    assert costly == f"{at_pace}. This costs about 90."


def estimate(value):
    return {"value": value, "low": value - 0.034, "high": value + 0.034}


def point(n):
    macro = {"macro": 0.7 + n / 100, "macro_low": 0.6, "macro_high": 0.9}
    return {"n": n, "micro": 0.8 + n / 100, "micro_low": 0.7, "micro_high": 0.9} | macro


def test_the_live_accuracy_and_its_curve_are_shown(reader, site):
    estimates = {"macro": estimate(0.861), "micro": estimate(0.9)}
    accuracy = {"measure": "f1", "average": "macro"} | estimates

    def answer(route):
        known = route.fetch().json()
        curve = [point(n) for n in range(9)]
        headline = {"level": "good", "text": "The target is reached."}
        route.fulfill(json=known | {"accuracy": accuracy, "curve": curve, "headline": headline})

    reader.page.route("**/status", answer)
    reader.enter(site.enter_url)
    expect(reader.page.locator("#macro-name")).to_have_text("macro-F1")
    expect(reader.page.locator("#macro-value")).to_have_text("86% (83–90)")
    expect(reader.page.locator("#micro-value")).to_have_text("90% (87–93)")
    line = reader.page.locator("#curve .line.macro").get_attribute("points")
    assert len(line.split()) == 9
    expect(reader.page.locator("#messages")).to_contain_text("The target is reached.")


def test_at_the_end_the_page_says_so_and_can_still_undo(reader, small_site):
    reader.enter(small_site.enter_url)
    reader.accept()
    last = reader.document
    reader.press("Enter")
    heading = reader.page.locator("#no-document-heading")
    expect(heading).to_have_text("All 2 documents are checked.")
    expect(reader.page.locator("#no-document-help")).to_be_visible()
    expect(reader.page.locator("#try-again")).not_to_be_visible()
    reader.press("u")
    reader.wait_for(last)


def test_news_of_several_undos_do_not_pile_up(reader, site):
    reader.enter(site.enter_url)
    first = reader.document
    second = reader.accept()
    reader.accept()
    reader.press("u")
    reader.wait_for(second)
    reader.press("u")
    reader.wait_for(first)
    expect(reader.page.locator("#alerts .notice")).to_have_count(1)
