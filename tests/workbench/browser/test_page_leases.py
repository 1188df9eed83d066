"""A document stays with its reader while it is read."""

from playwright.sync_api import expect

from satc.workbench.model.settings import LEASE_SECONDS

RENEWAL = "**/leases/*/renew"


def test_leases_are_renewed_while_somebody_reads(reader, site):
    reader.page.clock.install()
    reader.enter(site.enter_url)
    with reader.saving("/renew") as renewed:
        reader.press("1")
        reader.page.clock.fast_forward(1000 * (LEASE_SECONDS // 3 + 1))
    assert renewed.value.ok


def test_a_page_that_nobody_uses_lets_its_leases_run_out(reader, site):
    reader.page.clock.install()
    reader.enter(site.enter_url)
    reader.page.clock.fast_forward(1000 * (LEASE_SECONDS + 1))
    asked = []
    reader.page.on("request", lambda request: asked.append(request.url))
    reader.page.clock.fast_forward(1000 * LEASE_SECONDS)
    with reader.saving("/next"):
        reader.accept()
    assert not [url for url in asked if url.endswith("/renew")]


def test_a_document_that_went_to_somebody_else_gives_way(reader, site):
    reader.page.clock.install()
    reader.enter(site.enter_url)
    before = reader.document
    gone = {"detail": "This document went to somebody else."}
    reader.page.route(RENEWAL, lambda route: route.fulfill(status=409, json=gone))
    reader.press("1")
    reader.page.clock.fast_forward(1000 * (LEASE_SECONDS // 3 + 1))
    reader.wait_for_another(before)
    expect(reader.page.locator("#alerts")).to_contain_text("went to somebody else")
