"""The page with the table of all documents."""

from __future__ import annotations

from fastapi import APIRouter, Response

from satc.workbench.web.pages.project_page import CurrentPage

router = APIRouter()


@router.get("/p/{name}/documents")
def documents(page: CurrentPage) -> Response:
    """Show the table of all documents of a project."""
    return page.render("documents.html", "documents")
