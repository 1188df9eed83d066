"""The page on which people check documents."""

from __future__ import annotations

from fastapi import APIRouter, Response

from satc.workbench.web.pages.project_page import CurrentPage

router = APIRouter()


@router.get("/p/{name}")
def workbench(page: CurrentPage) -> Response:
    """Show the workbench of a project."""
    return page.render("workbench.html", "workbench")
