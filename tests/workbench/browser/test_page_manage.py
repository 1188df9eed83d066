"""Managers at work in a browser: the overview, settings, people and invitations."""

import re
import shutil
from contextlib import closing

import axe
import pytest
import sites
from playwright.sync_api import expect
from reader import Reader
from sites import PASSWORD

from satc.workbench.store import open_store
from satc.workbench.web.access.accounts import add_user

LINK = re.compile(r"^https?://127\.0\.0\.1:\d+(/tools/satc)?/join\?key=[\w-]{43}$")
ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(scope="session")
def managed_project(project, tmp_path_factory):
    """Make a project of ann, an annotator, and max, a manager."""
    copy = tmp_path_factory.mktemp("managed") / "managed.satc"
    shutil.copy(project("plain"), copy)
    with closing(open_store(copy)) as store:
        add_user(store, "ann", "annotator", PASSWORD)
        add_user(store, "max", "manager", PASSWORD)
    return copy


@pytest.fixture
def managed_site(managed_project, tmp_path):
    with sites.serving(managed_project, tmp_path) as site:
        yield site


@pytest.fixture
def boss(managed_site, new_reader):
    return new_reader().log_in(managed_site.url, "max")


@pytest.fixture
def ann(managed_site, new_reader):
    return new_reader().log_in(managed_site.url, "ann")


def go(reader, path):
    reader.page.goto(reader.page.url.split("/p/")[0].rstrip("/") + path)
    return reader.page


def row_of(page, name):
    return page.get_by_role("row").filter(has_text=name)


def test_a_manager_sees_who_did_what(ann, boss):
    ann.accept()
    page = go(boss, "/p/plain/manage")
    expect(page.locator("#progress")).to_contain_text("1 of 20 documents are checked.")
    expect(page.locator("#work").get_by_role("row").filter(has_text="ann")).to_contain_text("1")
    expect(page.locator("#days rect")).to_have_count(1)
    expect(page.locator("#attention")).to_contain_text("class")
    assert not boss.errors


def test_a_manager_releases_a_document(ann, boss):
    held = ann.document
    page = go(boss, "/p/plain/manage")
    mine = page.locator("#open-documents").get_by_role("row").filter(has_text=held)
    mine.get_by_role("button", name=f"Release {held}").click()
    expect(page.locator("#alerts")).to_contain_text(f"Document {held} is released.")
    expect(mine).to_have_count(0)
    with ann.page.expect_response("**/decision") as answer:
        ann.press("Enter")
    assert answer.value.status == 409
    assert not boss.errors


def test_a_manager_gives_a_document_to_somebody_else(ann, boss):
    held = ann.document
    page = go(boss, "/p/plain/manage")
    mine = page.locator("#open-documents").get_by_role("row").filter(has_text=held)
    mine.get_by_label(f"Person who gets document {held}").select_option("max")
    mine.get_by_role("button", name=f"Give to {held}").click()
    expect(page.locator("#alerts")).to_contain_text(f"Document {held} is the next document of max.")
    expect(mine).to_contain_text("max")
    page.goto(page.url.replace("/manage", ""))
    expect(page.locator("#reading")).to_be_visible()


def test_settings_are_changed_by_clicking(boss):
    page = go(boss, "/p/plain/settings")
    page.get_by_label("Title").fill("<i>Letters</i>")
    page.get_by_label("Documents that a second person checks too").fill("12.5")
    page.get_by_label("Rule for the end of the work").fill("budget(hours=8)")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#alerts")).to_contain_text("The settings are saved.")
    expect(page.locator(".top h1")).to_have_text("<i>Letters</i>")
    page.reload()
    expect(page.get_by_label("Documents that a second person checks too")).to_have_value("12.5")
    expect(page.get_by_label("Rule for the end of the work")).to_have_value("budget(hours=8)")


def test_a_wrong_setting_is_refused_beside_its_field(boss):
    page = go(boss, "/p/plain/settings")
    rule = page.get_by_label("Rule for the end of the work")
    rule.fill("nonsense")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#alerts")).to_contain_text("nonsense")
    share = page.get_by_label("Share of the work that is a random check")
    share.fill("120")
    page.get_by_role("button", name="Save").click()
    expect(share).to_be_focused()
    expect(share).to_have_attribute("aria-invalid", "true")


def test_a_code_book_is_replaced_by_clicking(boss):
    page = go(boss, "/p/plain/settings")
    rows = "".join(f"class {j},Topic {j}\n" for j in range(1, 16))
    book = {"name": "book.csv", "mimeType": "text/csv", "buffer": f"code,name\n{rows}".encode()}
    page.get_by_label("File").set_input_files(book)
    page.get_by_role("button", name="Replace the code book").click()
    expect(page.locator("#alerts")).to_contain_text("The code book has the 15 classes")
    page.goto(page.url.replace("/settings", ""))
    expect(page.locator("#reading")).to_be_visible()
    expect(page.locator("body")).to_contain_text("Topic")


def test_a_person_is_invited_by_a_link_and_logs_in(boss, new_reader):
    page = go(boss, "/people")
    page.get_by_label("Name").fill("eve")
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("Link of the invitation")
    expect(link).to_have_value(LINK)
    expect(row_of(page, "eve")).to_contain_text("Annotator")
    eve = new_reader().page
    eve.goto(link.input_value())
    expect(eve.locator("main")).to_contain_text("Welcome, eve.")
    eve.get_by_label("Password", exact=True).fill("a pass phrase")
    eve.get_by_label("The same password again").fill("a pass phrase")
    eve.get_by_role("button", name="Save and log in").click()
    expect(eve.locator("#reading")).to_be_visible()
    expect(eve.locator(".who")).to_have_text("eve")
    page.reload()
    expect(page.locator("#users").get_by_role("row").filter(has_text="eve")).to_be_visible()
    expect(page.locator("#invited")).to_be_hidden()
    assert not boss.errors


def test_roles_change_and_people_leave(boss):
    page = go(boss, "/people")
    page.get_by_role("button", name="Make manager ann").click()
    expect(row_of(page, "ann")).to_contain_text("Manager")
    page.get_by_role("button", name="Remove ann").click()
    expect(page.locator("#alerts")).to_contain_text("ann can no longer log in.")
    expect(row_of(page, "ann")).to_have_count(0)
    assert boss.dialogs == ["confirm"]
    expect(row_of(page, "max")).to_contain_text("This is you.")


@pytest.mark.passwords
def test_a_single_user_becomes_the_first_manager(site, reader):
    reader.enter(site.enter_url)
    page = go(reader, "/people")
    page.get_by_label("Name").fill("max")
    page.get_by_label("Password").fill("a pass phrase")
    page.get_by_role("button", name="Add me as manager").click()
    expect(page.locator("#first-manager-done")).to_be_visible()
    expect(page.locator("#first-manager-done")).to_contain_text("satc serve")


def test_report_and_certificate_open_with_their_style(site, reader):
    reader.enter(site.enter_url)
    reader.accept()
    page = go(reader, "/p/plain/manage")
    page.get_by_role("link", name="Report").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate(ACCENT)
    assert not reader.errors  # the policy refuses nothing that the page has
    page.go_back()
    page.get_by_role("link", name="Certificate", exact=True).click()
    expect(page.locator("main")).to_contain_text("A certificate needs documents")


DAYS = """(quarters) => import(ownAddress("/static/manage/days.js")).then(({ byDay }) => {
  const { days, series } = byDay([{ name: "ann", quarters }], "others");
  return days.map((day, i) => [day.getDate(), series[0].values[i]]);
})"""
# 2025-12-31 at 12:00, 2026-01-01 at 18:00 and at 18:15 in UTC, in quarters of an hour.
QUARTERS = [[1963536, 5], [1963656, 2], [1963657, 3]]


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        ("UTC", [[31, 5], [1, 5]]),
        ("Asia/Kathmandu", [[31, 5], [1, 2], [2, 3]]),
        ("Pacific/Auckland", [[1, 5], [2, 5]]),
        ("America/Los_Angeles", [[31, 5], [1, 5]]),
    ],
)
def test_days_are_those_of_the_reader(site, browser, zone, days):
    context = browser.new_context(timezone_id=zone, ignore_https_errors=True)
    page = Reader(context.new_page()).page
    page.goto(site.enter_url)
    assert page.evaluate(DAYS, QUARTERS) == days
    context.close()


def accessible(page):
    """Whether axe finds no violation, light and dark, on a desk and on a phone."""
    page.evaluate(axe.source())
    found = []
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found += axe.violations(page)
    return found == [], found


def test_people_and_invitations_are_accessible(boss, new_reader):
    page = go(boss, "/people")
    page.get_by_label("Name").fill("eve")
    page.get_by_role("button", name="Make a link").click()
    expect(row_of(page, "eve")).to_be_visible()
    link = page.get_by_label("Link of the invitation").input_value()
    assert accessible(page) == (True, [])
    eve = new_reader().page
    for address in (link, f"{link}x"):
        eve.goto(address)
        expect(eve.get_by_role("heading", name="Set your password")).to_be_visible()
        assert accessible(eve) == (True, [])


@pytest.mark.parametrize("path", ["/p/plain/manage", "/p/plain/settings", "/people"])
def test_pages_of_managers_fit_a_phone(boss, path):
    boss.page.set_viewport_size({"width": 390, "height": 844})
    page = go(boss, path)
    expect(page.locator(".card").first).to_be_visible()
    if path != "/p/plain/settings":
        expect(page.locator("table").first).to_be_attached()
    assert page.evaluate(SIDEWAYS) <= 0


def test_hostile_names_are_only_text(hostile_site, reader):
    reader.enter(hostile_site.enter_url)
    page = go(reader, "/p/hostile/manage")
    expect(page.locator("#attention table")).to_be_visible()
    expect(page.locator("#open-documents table")).to_be_visible()
    assert page.evaluate("window.hacked") is None
    assert not reader.errors
