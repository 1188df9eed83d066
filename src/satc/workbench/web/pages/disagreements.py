"""The page on which a third person settles disagreements, with the agreement of people."""

from __future__ import annotations

from fastapi import APIRouter, Response

from satc.workbench.web.pages.project_page import CurrentPage

router = APIRouter()


@router.get("/p/{name}/disagreements")
def disagreements(page: CurrentPage) -> Response:
    """Show the disagreements of a project that the user may settle."""
    overlap = page.project.settings.overlap
    return page.render("disagreements.html", "disagreements", overlap=overlap)
