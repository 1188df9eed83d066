"""A day at the workbench below a path, behind the nginx of `deploy/`.

All other tests of pages run there, too, with the variable SATC_TEST_PROXY=1.
"""

import re

import pytest
import sites
from nginx import PREFIX
from playwright.sync_api import expect

pytestmark = pytest.mark.passwords


@pytest.fixture(scope="module")
def behind(project, tmp_path_factory):
    """Serve a project of ann, ben and max, a manager, behind nginx."""
    folder = tmp_path_factory.mktemp("behind")
    with sites.serving(project("team"), folder, behind_proxy=True, by_header=False) as site:
        yield site


@pytest.fixture
def person(behind, new_reader):
    """Log somebody in: ``person("ann")``; keep the requests of the page."""

    def made(name):
        reader = new_reader()
        reader.asked = []
        reader.page.on("request", lambda request: reader.asked.append(request.url))
        reader.log_in(behind.url, name)
        return reader

    return made


def stays_below(reader, site):
    """Whether every request went to the server below its path, and the page has no error."""
    outside = [url for url in reader.asked if not url.startswith(f"{site.url}/")]
    return outside == reader.errors == []


def test_documents_are_decided_below_the_path(person, behind):
    ann = person("ann")
    assert ann.page.url == f"{behind.url}/p/team"
    ann.accept()
    ann.press("u")
    expect(ann.page.locator("#reading")).to_be_visible()
    ann.page.get_by_role("link", name="Documents").click()
    ann.page.locator("tbody a.open").first.click()
    expect(ann.page.locator("#way-back")).to_have_attribute("href", f"{PREFIX}/p/team/documents")
    ann.page.get_by_role("link", name="Disagreements").click()
    expect(ann.page).to_have_url(f"{behind.url}/p/team/disagreements")
    assert stays_below(ann, behind)


def test_cookies_are_for_the_path_alone(person, behind):
    ann = person("ann")
    with ann.page.expect_navigation():
        ann.page.locator("#language").select_option("de")
    expect(ann.page.locator("html")).to_have_attribute("lang", "de")
    cookies = {one["name"]: one for one in ann.page.context.cookies()}
    assert {one["path"] for one in cookies.values()} == {f"{PREFIX}/"}
    session = next(cookies[name] for name in cookies if name.startswith("satc_session"))
    assert (session["secure"], session["httpOnly"], session["sameSite"]) == (True, True, "Strict")


def test_a_login_leads_back_to_the_page_below_the_path(new_reader, behind):
    page = new_reader().page
    page.goto(f"{behind.url}/p/team/documents?sort=id")
    expect(page).to_have_url(re.compile(re.escape(f"{behind.url}/login?next=")))
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill(sites.PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(f"{behind.url}/p/team/documents?sort=id")
    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_url(f"{behind.url}/login")
    assert not [one for one in page.context.cookies() if one["name"].startswith("satc_session")]


def test_an_invitation_leads_below_the_path(person, new_reader, behind):
    boss = person("max")
    boss.page.goto(f"{behind.url}/people")
    boss.page.get_by_label("Name").fill("eve")
    boss.page.get_by_role("button", name="Make a link").click()
    expect(boss.page.locator("#link")).to_be_visible()
    link = boss.page.locator("#link-value").input_value()
    assert link.startswith(f"{behind.url}/join?key=")
    eve = new_reader().page
    eve.goto(link)
    for label in ("Password", "The same password again"):
        eve.get_by_label(label, exact=True).fill(sites.PASSWORD)
    eve.get_by_role("button", name="Save and log in").click()
    expect(eve).to_have_url(re.compile(re.escape(f"{behind.url}/p/")))
    assert stays_below(boss, behind)


def test_managers_reach_every_page_below_the_path(person, behind):
    boss = person("max")
    page = boss.page
    page.get_by_role("link", name="Manage").click()
    expect(page.locator("main")).to_contain_text("ann")
    for link in page.locator("main a[href^='/']").all():
        assert link.get_attribute("href").startswith(f"{PREFIX}/")
    for path in ("/p/team/report", "/p/team/settings", "/projects", "/new"):
        assert page.goto(behind.url + path).status == 200
        expect(page.locator("h1").first).to_be_visible()
    csv = {"name": "d.csv", "mimeType": "text/csv", "buffer": b"id,text\n1,one\n2,two\n"}
    page.locator("input[type=file]").first.set_input_files(csv)
    expect(page.locator("main")).to_contain_text("two")
    assert stays_below(boss, behind)
