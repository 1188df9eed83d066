"""A server that is away for a moment costs nobody a decision."""

from playwright.sync_api import expect

DECISION = "**/leases/*/decision"


def test_a_decision_survives_a_server_that_is_away(reader, site):
    reader.enter(site.enter_url)
    expect(reader.page.locator("#progress-short")).to_contain_text("0 of ")
    reader.page.route("**/api/**", lambda route: route.abort())
    before = reader.document
    reader.press("3")
    reader.press("Enter")
    reader.wait_for_another(before)
    expect(reader.page.locator("#outbox")).to_contain_text("1 change not saved yet: trying again")
    reader.page.unroute("**/api/**")
    reader.page.locator("#outbox-again").click()
    expect(reader.page.locator("#outbox")).not_to_be_visible()
    reader.wait_for_validated(1)


def test_it_is_tried_again_without_a_word_of_the_person(reader, site):
    reader.enter(site.enter_url)
    refused = []

    def refuse_once(route):
        if refused:
            return route.continue_()
        refused.append(route.request.url)
        return route.fulfill(status=503, json={"detail": "The server is starting."})

    reader.page.route(DECISION, refuse_once)
    reader.accept()
    expect(reader.page.locator("#outbox")).to_contain_text("The server is starting.")
    reader.wait_for_validated(1)
    expect(reader.page.locator("#outbox")).not_to_be_visible()
    assert len(refused) == 1


def test_leaving_with_an_unsaved_decision_warns(reader, site):
    reader.enter(site.enter_url)
    reader.page.route(DECISION, lambda route: route.abort())
    reader.accept()
    expect(reader.page.locator("#outbox")).to_be_visible()
    reader.page.goto("about:blank")
    assert reader.dialogs == ["beforeunload"]


def test_leaving_with_everything_saved_does_not(reader, site):
    reader.enter(site.enter_url)
    reader.accept()
    reader.wait_for_validated(1)
    reader.page.goto("about:blank")
    assert reader.dialogs == []


def test_a_refusal_is_shown_and_the_work_goes_on(reader, site):
    reader.enter(site.enter_url)
    gone = {"detail": "This document went to somebody else."}
    reader.page.route(DECISION, lambda route: route.fulfill(status=409, json=gone))
    reader.accept()
    expect(reader.page.locator("#alerts")).to_contain_text("went to somebody else")
    reader.page.unroute(DECISION)
    reader.accept()
    reader.wait_for_validated(1)


def test_who_is_logged_out_loses_nothing(reader, site):
    reader.enter(site.enter_url)
    out = {"detail": "Log in first."}
    reader.page.route(DECISION, lambda route: route.fulfill(status=401, json=out))
    reader.accept()
    expect(reader.page.locator("#outbox")).to_contain_text("no longer logged in")
    reader.page.unroute(DECISION)
    reader.page.locator("#outbox-again").click()
    reader.wait_for_validated(1)
    expect(reader.page.locator("#outbox")).not_to_be_visible()


def test_an_undo_that_may_have_been_done_is_not_repeated(reader, site):
    reader.enter(site.enter_url)
    reader.accept()
    second = reader.accept()
    reader.wait_for_validated(2)
    asked = []

    def lose_the_answer(route):
        asked.append(route.fetch().status)
        route.abort()

    reader.page.route("**/undo", lose_the_answer)
    reader.press("u")
    expect(reader.page.locator("#alerts")).to_contain_text("show whether it was done")
    reader.wait_for_validated(1)
    assert asked == [200]
    assert reader.document == second
