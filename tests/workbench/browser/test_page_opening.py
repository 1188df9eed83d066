"""The page of a project that is being opened, and the page of a server that is starting."""

import threading

import pytest
import sites
from fastapi.testclient import TestClient
from playwright.sync_api import expect
from test_every_page import OpenPage, axe_violations, layout_faults

from satc.workbench.project import opening
from satc.workbench.web.starting import StartingApp


@pytest.fixture
def slow_site(project, tmp_path, monkeypatch):
    """Serve a project that goes on opening until the event is set."""
    may_go_on, reading = threading.Event(), opening.read_scores

    def read_scores(*arguments):
        may_go_on.wait()
        return reading(*arguments)

    monkeypatch.setattr(opening, "read_scores", read_scores)
    with sites.serving(project("plain"), tmp_path, in_background=True) as site:
        yield site, may_go_on
        may_go_on.set()


def test_the_page_of_a_project_that_opens_is_accessible_and_opens_by_itself(reader, slow_site):
    site, may_go_on = slow_site
    reader.page.goto(site.enter_url)
    expect(reader.page.locator("#step")).not_to_be_empty()
    opened = OpenPage(reader, site.host, 503)
    assert axe_violations(opened) == {}
    assert layout_faults(opened, "ltr") == layout_faults(opened, "rtl") == {}
    assert reader.hosts == {opened.host}
    may_go_on.set()
    expect(reader.page.locator("#reading")).to_be_visible()


def test_the_page_of_a_server_that_starts_is_accessible(reader):
    answer = TestClient(StartingApp()).get("/")
    assert answer.status_code == 503
    assert "style-src 'sha256-" in answer.headers["content-security-policy"]
    reader.page.set_content(answer.text)
    opened = OpenPage(reader, None, 503)
    assert axe_violations(opened) == {}
    assert layout_faults(opened, "ltr") == layout_faults(opened, "rtl") == {}
