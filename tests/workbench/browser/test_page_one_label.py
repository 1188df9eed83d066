"""A day at the workbench where every document has exactly one label, by keyboard alone."""

import csv
import io

import pytest
import sites
from playwright.sync_api import expect

MUST_CHOOSE = "Choose a class first: every document of this project has exactly one."


def exported(reader, site, project="project"):
    """Download the labels as a table; return the labels of each document, and who gave them."""
    answer = reader.page.request.get(f"{site.url}/api/v1/projects/{project}/export?format=csv")
    assert answer.ok
    return {row["id"]: row for row in csv.DictReader(io.StringIO(answer.text()))}


def name_of(reader):
    return reader.page.evaluate("document.body.dataset.project")


def saved_label(reader, site, document):
    """Return the label of a document once it is saved: the page sends it in the background."""
    for _ in range(200):
        row = exported(reader, site, name_of(reader))[document]
        if row["satc_source"] == "human":
            return row["satc_label"]
        reader.page.wait_for_timeout(100)
    raise AssertionError(f"the decision on {document} was not saved: {row}")


def test_the_labels_are_radio_buttons_and_the_best_class_is_chosen(reader, tickets_site):
    reader.enter(tickets_site.enter_url)
    group = reader.page.get_by_role("radiogroup")
    expect(group.get_by_role("radio")).to_have_count(reader.page.locator(".label").count())
    assert reader.chosen == reader.page.locator("[data-mark=predicted] .name").all_inner_texts()
    assert len(reader.chosen) == 1


def test_a_whole_session_by_keyboard(reader, few_site):
    """Accept, choose with a digit, search, undo; at the end each document has one label."""
    reader.enter(few_site.enter_url)
    page, given = reader.page, {}

    given[reader.document] = reader.chosen[0]
    second = reader.accept()  # Enter accepts the best class

    given[second] = reader.offered[1]
    reader.press("2")  # a digit chooses and goes on
    third = reader.wait_for_another(second)
    reader.wait_for_validated(2)

    reader.press("u")  # undo, and choose another class
    reader.wait_for(second)
    assert reader.chosen == [given[second]]
    given[second] = reader.offered[2]
    reader.press("3")
    reader.wait_for(third)

    given[third] = next(name for name in reader.offered if name not in reader.chosen)
    reader.press("/")
    page.keyboard.type(given[third])
    reader.press("Enter")
    assert reader.focus == "document-heading"
    assert reader.chosen == [given[third]]  # it replaces the former choice
    fourth = reader.accept()

    given[fourth] = reader.chosen[0]
    reader.press("Enter")
    expect(page.locator("#no-document-heading")).to_have_text("All 4 documents are checked.")

    rows = exported(reader, few_site, name_of(reader))
    assert {document: row["satc_label"] for document, row in rows.items()} == given
    assert reader.errors == []


def test_a_digit_replaces_the_choice_and_stays_if_the_person_wants_that(reader, tickets_site):
    reader.enter(tickets_site.enter_url)
    box = reader.page.locator("#digit-submits")
    expect(box).to_be_checked()
    box.click()
    document, second, third = reader.document, *reader.offered[1:3]
    reader.press("2")
    assert reader.chosen == [second]
    reader.press("3", "3")
    assert (reader.document, reader.chosen) == (document, [third])
    reader.accept()
    assert saved_label(reader, tickets_site, document) == third
    reader.page.reload()
    expect(reader.page.locator("#reading")).to_be_visible()
    expect(box).not_to_be_checked()


def test_the_digit_of_the_chosen_class_accepts_it(reader, tickets_site):
    reader.enter(tickets_site.enter_url)
    document, chosen = reader.document, reader.chosen[0]
    with reader.saving():
        reader.press(reader.page.locator(".label[aria-checked=true] kbd").inner_text())
    reader.wait_for_another(document)
    assert saved_label(reader, tickets_site, document) == chosen


def test_a_class_that_is_not_listed_is_found(reader, intents_site):
    reader.enter(intents_site.enter_url)
    document, listed = reader.document, reader.offered
    assert 1 <= len(listed) <= 7  # the predicted class, and six others at most
    hidden = next(name for name in sites.INTENTS if name not in listed)
    reader.press("/")
    reader.page.keyboard.type(hidden)
    reader.press("Enter")
    assert reader.chosen == [hidden]
    assert reader.offered == [*listed, hidden]
    with reader.saving():
        reader.press("Enter")
    assert saved_label(reader, intents_site, document) == hidden


def test_of_many_classes_a_digit_chooses_a_listed_one(reader, intents_site):
    reader.enter(intents_site.enter_url)
    document = reader.document
    probabilities = reader.page.locator(".label .probability").all_inner_texts()
    shown = [int(text.strip("<>%")) for text in probabilities[1:]]
    assert shown == sorted(shown, reverse=True)
    assert min(shown) >= 2
    second = reader.offered[1]
    with reader.saving():
        reader.press("2")
    reader.wait_for_another(document)
    assert saved_label(reader, intents_site, document) == second


def test_nothing_is_chosen_where_predictions_are_hidden_and_none_cannot_be_stored(
    reader, few_blind_site
):
    reader.enter(few_blind_site.enter_url)
    document = reader.document
    assert reader.chosen == []
    assert reader.offered == ["refund", "delivery", "account"]  # in the order of the project
    assert reader.page.locator(".label .probability").all_inner_texts() == ["", "", ""]
    alert = reader.page.locator("#must-choose")
    expect(alert).not_to_be_visible()
    reader.press("Enter")
    expect(alert).to_have_text(MUST_CHOOSE)
    reader.press("Space")
    assert reader.document == document
    reader.wait_for_validated(0)
    with reader.saving():
        reader.press("2")
    reader.wait_for_another(document)
    expect(alert).not_to_be_visible()
    assert saved_label(reader, few_blind_site, document) == "delivery"


def test_the_chip_of_the_class_removes_it_and_nothing_can_be_accepted(reader, few_site):
    reader.enter(few_site.enter_url)
    document = reader.document
    reader.page.locator("#chosen .chip").click()
    assert reader.chosen == []
    reader.press("Enter")
    expect(reader.page.locator("#must-choose")).to_have_text(MUST_CHOOSE)
    assert reader.document == document


@pytest.mark.parametrize("labels", [[], [0, 1]])
def test_the_server_refuses_what_the_page_never_sends(reader, few_site, labels):
    reader.enter(few_site.enter_url)
    sent = """async (labels) => {
      const { Api } = await import(ownAddress("/static/shared/api.js"));
      const token = document.querySelector('meta[name="csrf-token"]').content;
      const api = new Api(document.body.dataset.project, token);
      const { assignments } = await api.get("assignments");
      const path = `leases/${assignments[0].lease}/decision`;
      return api.send("POST", path, { labels }).then(() => "saved", (error) => error.message);
    }"""
    said = reader.page.evaluate(sent, labels)
    assert said.startswith("labels must be exactly one class")


def test_the_arrow_keys_move_in_the_group_and_enter_accepts(reader, few_site):
    reader.enter(few_site.enter_url)
    document, second = reader.document, reader.offered[1]
    reader.page.locator("#search").focus()
    reader.press("Tab")
    assert reader.page.evaluate("document.activeElement.getAttribute('role')") == "radio"
    reader.press("ArrowUp", "ArrowDown", "ArrowDown")
    assert reader.chosen == [second]
    with reader.saving():
        reader.press("Enter")
    reader.wait_for_another(document)
    assert saved_label(reader, few_site, document) == second


def test_a_click_chooses_and_does_not_go_on(reader, few_site):
    reader.enter(few_site.enter_url)
    document, third = reader.document, reader.offered[2]
    reader.page.get_by_role("radio").nth(2).click()
    reader.page.get_by_role("radio").nth(2).click()
    assert (reader.document, reader.chosen) == (document, [third])


def test_an_earlier_decision_is_changed_to_another_class(reader, few_site):
    reader.enter(few_site.enter_url)
    document, other = reader.document, reader.offered[1]
    reader.accept()
    reader.page.locator(".decision").first.click()
    expect(reader.page.locator("#editing-banner")).to_be_visible()
    reader.page.get_by_role("radio", name=other).click()
    with reader.saving():
        reader.press("Enter")
    expect(reader.page.locator("#editing-banner")).not_to_be_visible()
    assert saved_label(reader, few_site, document) == other


MOST_PROBABLE = """rows => rows
  .map((row) => [parseFloat(row.querySelector(".level").getAttribute("width")), row])
  .reduce((best, one) => (one[0] > best[0] ? one : best))[1].querySelector(".name").textContent"""


def test_why_names_the_other_class_with_both_probabilities(reader, tickets_site):
    reader.enter(tickets_site.enter_url)
    predicted = reader.chosen[0]
    other = reader.page.locator("[data-mark=missing]").evaluate_all(MOST_PROBABLE)
    sentence = reader.page.locator("#why-sentence")
    expect(sentence).to_contain_text("Checking this document should raise macro-F1 most: it ")
    expect(sentence).to_contain_text(f"“{other}” (")
    expect(sentence).to_contain_text(f", not “{predicted}” (")
    reader.page.locator("#why summary").click()
    heads = reader.page.locator("#why-table thead th").all_inner_texts()
    assert heads == ["Class", "Predicted", "Probability", "Gain", "Utility"]


def test_the_keys_and_the_progress_speak_of_one_class(reader, tickets_site):
    reader.enter(tickets_site.enter_url)
    reader.press("?")
    keys = reader.page.locator("#keys-list")
    expect(keys).to_contain_text("Accept the chosen class and go to the next document")
    expect(keys).to_contain_text("refund")
    reader.press("Escape")
    decided = reader.page.locator("#labels-decided")
    expect(decided).to_contain_text("Labels chosen for macro-F1, one per document.")


def test_the_micro_average_is_called_accuracy(reader, tickets_site):
    estimate = {"value": 0.9, "low": 0.88, "high": 0.92}
    accuracy = {"measure": "f1", "average": "macro", "macro": estimate, "micro": estimate}

    def answer(route):
        route.fulfill(json=route.fetch().json() | {"accuracy": accuracy})

    reader.page.route("**/status", answer)
    reader.enter(tickets_site.enter_url)
    expect(reader.page.locator("#macro-name")).to_have_text("macro-F1")
    expect(reader.page.locator("#micro-name")).to_have_text("accuracy")
    expect(reader.page.locator("#accuracy-short")).to_have_text("macro-F1 about 90% (88–92)")
    expect(reader.page.locator("#plan label")).to_have_text("Target for macro-F1 (%)")
