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


def test_no_document_is_lost_when_the_server_asks_to_come_back_during_a_decision(reader, site):
    held = []
    answers = [lambda route: route.fulfill(json={"again": 0.2}), held.append]

    def answer(route):
        return answers.pop(0)(route) if answers else route.continue_()

    reader.enter(site.enter_url)
    reader.page.wait_for_load_state("networkidle")  # one document is ahead
    reader.page.route("**/next", answer)
    reader.accept()
    _wait_until(reader, lambda: held)  # the page has come back, its request is on the way
    reader.press("Enter")
    given = []
    reader.page.on("response", lambda one: one.url.endswith("/next") and given.append(one))
    held[0].continue_()
    _wait_until(reader, lambda: len(given) == 2)  # one to show, and one ahead
    second, third = (one.json()["assignment"]["document"]["id"] for one in given)
    reader.wait_for(second)
    reader.page.wait_for_timeout(200)
    assert reader.document == second
    assert reader.accept() == third
    assert reader.errors == []


def test_the_page_says_that_the_work_is_done_when_it_comes_back(reader, site):
    reason = "All documents are checked."
    answers = iter([{"again": 0.2}, {"again": 0.2}])
    reader.enter(site.enter_url)
    reader.page.wait_for_load_state("networkidle")
    reader.page.route(
        "**/next", lambda route: route.fulfill(json=next(answers, {"reason": reason}))
    )
    reader.accept()
    reader.press("Enter")
    expect(reader.page.locator("#no-document-heading")).to_have_text(reason)
    assert reader.errors == []


def _wait_until(reader, is_true):
    for _ in range(200):
        if is_true():
            return
        reader.page.wait_for_timeout(50)
    raise AssertionError("nothing has happened for ten seconds")
