"""Which projects people may open, by clicking."""

import pytest
import sites
from playwright.sync_api import expect


@pytest.fixture
def two_site(project, tmp_path):
    with sites.serving(project("two-projects"), tmp_path) as site:
        yield site


@pytest.fixture
def boss(two_site, new_reader):
    reader = new_reader().log_in(two_site.url, "max")
    reader.page.goto(f"{two_site.url}/people")
    return reader


def row_of(page, name):
    return page.get_by_role("row").filter(has_text=name)


def test_a_manager_gives_a_project_and_takes_one_away(two_site, boss, new_reader):
    page = boss.page
    expect(row_of(page, "max")).to_contain_text("All projects")
    page.get_by_role("button", name="Choose projects ben").click()
    letters, first = page.locator("#right-0"), page.locator("#right-1")
    expect(letters).to_have_value("")
    expect(first).to_have_value("annotator")
    letters.select_option("Manager")
    first.select_option("No access")
    page.get_by_role("button", name="Save").click()
    expect(row_of(page, "ben")).to_contain_text("(manager)")
    expect(page.locator("#alerts")).to_contain_text("The projects of ben are changed.")
    assert page.evaluate("window.hacked") is None
    ben = new_reader()
    ben.page.goto(f"{two_site.url}/login?next=/projects")
    ben.page.get_by_label("Name").fill("ben")
    ben.page.get_by_label("Password").fill(sites.PASSWORD)
    ben.page.get_by_role("button", name="Log in").click()
    expect(ben.page.locator(".projects li")).to_have_count(1)
    expect(ben.page.locator(".projects li")).to_contain_text("Letters")


def test_a_dialog_that_is_cancelled_changes_nothing(boss):
    page = boss.page
    page.get_by_role("button", name="Choose projects ben").click()
    page.locator("#rights").get_by_label("Letters").select_option("Manager")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#rights")).not_to_be_visible()
    page.reload()
    expect(row_of(page, "ben")).not_to_contain_text("Letters")


def test_an_invitation_is_to_the_ticked_projects(boss, new_reader):
    page = boss.page
    page.get_by_label("Name").fill("eve")
    page.locator("#invite-choices").get_by_label("Letters").check()
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("Link of the invitation")
    expect(link).to_be_visible()
    eve = new_reader().page
    eve.goto(link.input_value())
    for label in ("Password", "The same password again"):
        eve.get_by_label(label, exact=True).fill(sites.PASSWORD)
    eve.get_by_role("button", name="Save and log in").click()
    page.reload()
    expect(row_of(page, "eve")).to_contain_text("Letters")
    expect(row_of(page, "eve")).not_to_contain_text("(manager)")
