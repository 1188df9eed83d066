"""The line at the top, and the panel that it opens."""

import pytest
from playwright.sync_api import expect
from test_page_session import estimate, point


def answered(reader, **changes):
    """Change the answers to requests for the status."""

    def answer(route):
        route.fulfill(json=route.fetch().json() | changes)

    reader.page.route("**/status", answer)


ACCURACY = {
    "measure": "f1",
    "average": "macro",
    "macro": estimate(0.881),
    "micro": estimate(0.9),
}


def test_one_line_says_what_matters_and_opens_the_chart(reader, site):
    known = {"documents_left": 12, "target": 0.95, "curve": [point(n) for n in range(9)]}
    answered(reader, accuracy=ACCURACY, **known)
    reader.enter(site.enter_url)
    line = reader.page.locator("#status > summary")
    expect(line).to_contain_text("0 of 20 checked")
    expect(line).to_contain_text("accuracy about 88% (85–92)")
    expect(line).to_contain_text("about 12 more to 95%")
    curve = reader.page.locator("#curve")
    expect(curve).not_to_be_visible()
    line.click()
    expect(curve).to_be_visible()
    expect(reader.page.locator("#macro-meaning")).to_contain_text("mean over all classes")
    reader.press("Escape")
    expect(curve).not_to_be_visible()


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (500, "about 20 more to 95%"),  # there are only 20 documents
        (1, "about 1 more to 95%"),
        (0, "the target of 95% is reached"),
    ],
)
def test_never_more_documents_are_left_than_there_are(reader, site, left, said):
    answered(reader, accuracy=ACCURACY, documents_left=left, target=0.95)
    reader.enter(site.enter_url)
    expect(reader.page.locator("#left-short")).to_have_text(said)


def test_without_an_estimate_the_line_says_what_is_missing(reader, cold_site):
    reader.enter(cold_site.enter_url)
    line = reader.page.locator("#accuracy-short")
    expect(line).to_contain_text("more random documents")
    expect(reader.page.locator("#left-short")).not_to_be_visible()


def test_the_headline_is_the_one_voice(reader, site):
    headline = {"level": "warning", "text": "The estimate is off: check the random documents."}
    answered(reader, headline=headline, messages=["The disk is full."])  # a technical problem
    reader.enter(site.enter_url)
    lines = reader.page.locator("#messages .notice > span")
    expect(lines).to_have_text([headline["text"], "The disk is full."])
    reader.page.locator("#status > summary").click()
    expect(reader.page.locator("#headline")).to_have_text(headline["text"])
    reader.page.get_by_role("button", name="Dismiss").first.click()
    expect(lines).to_have_text(["The disk is full."])


def test_a_warning_that_was_dismissed_does_not_come_back_with_other_numbers(reader, site):
    numbers = iter(range(1, 100))

    def answer(route):
        text = f"{next(numbers)} random documents are not decided."
        headline = {"level": "warning", "kind": "server.headline_audit_waits", "text": text}
        route.fulfill(json=route.fetch().json() | {"headline": headline, "messages": []})

    reader.page.route("**/status", answer)
    reader.enter(site.enter_url)
    lines = reader.page.locator("#messages .notice")
    expect(lines).to_contain_text("random documents are not decided.")
    lines.get_by_role("button", name="Dismiss").click()
    before = reader.page.locator("#headline").text_content()
    reader.accept()
    expect(reader.page.locator("#headline")).not_to_have_text(before)
    expect(lines).to_have_count(0)


def test_a_headline_that_asks_for_nothing_stays_in_the_panel(reader, site):
    headline = {"level": "info", "text": "About 12 more documents until 95%."}
    answered(reader, headline=headline, messages=[])
    reader.enter(site.enter_url)
    expect(reader.page.locator("#headline")).to_have_text(headline["text"])
    expect(reader.page.locator("#messages")).to_be_empty()


LAST = """async ([curve, ahead, most]) => {
  const { drawCurve } = await import(ownAddress("/static/workbench/curve.js"));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const estimate = { value: 0.8, low: 0.7, high: 0.9 };
  const accuracy = { measure: "f1", average: "macro", macro: estimate, micro: estimate };
  drawCurve(svg, curve, accuracy, ahead, most);
  return [...svg.querySelectorAll("text")].at(-1).textContent;
}"""


def test_the_forecast_ends_at_the_number_of_documents(reader, site):
    reader.enter(site.enter_url)
    ahead = [{"n": n, "value": 0.8, "low": 0.7, "high": 0.9} for n in (8, 15, 20, 33, 47)]
    curve = [point(n) for n in range(9)]
    assert reader.page.evaluate(LAST, [curve, ahead, 20]) == "20"


def test_an_estimate_at_the_target_that_is_not_sure_yet_is_not_called_below_it(reader, site):
    near = {name: {"value": 0.95, "low": 0.89, "high": 0.99} for name in ("macro", "micro")}
    answered(reader, accuracy=ACCURACY | near, documents_left=12, target=0.95)
    reader.enter(site.enter_url)
    expect(reader.page.locator("#left-short")).to_have_text("about 12 more to be sure of 95%")


def test_enter_accepts_after_the_panel_was_opened_and_closed(reader, site):
    reader.enter(site.enter_url)
    before = reader.document
    reader.page.locator("#status > summary").click()
    expect(reader.page.locator("#progress")).to_be_visible()
    reader.press("Escape", "Enter")
    reader.wait_for_another(before)


def test_warnings_cover_the_page_only_of_managers(new_reader, team_site):
    headline = {"level": "warning", "text": "1 drawn document is not decided."}
    for name, shown in (("ann", 0), ("meg", 1)):
        person = new_reader()
        answered(person, headline=headline, messages=[])
        person.log_in(team_site.url, name)
        expect(person.page.locator("#headline")).to_have_text(headline["text"])
        expect(person.page.locator("#messages .notice")).to_have_count(shown)
