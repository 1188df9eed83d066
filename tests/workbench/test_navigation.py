"""The links between the pages of a project."""

import pytest

from satc.workbench.web.pages.navigation import links_of


@pytest.mark.parametrize("name", ["claims", "Visitor survey 2026", "Umfrage für 50%"])
def test_the_page_that_is_open_is_the_current_one(name):
    links = links_of(name, f"/p/{name}/documents", is_manager=True)
    assert [link["path"].rpartition("/")[2] for link in links if link["is_current"]] == [
        "documents"
    ]
