"""The list of projects; if there is only one, its workbench."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from satc.workbench.web.addresses import redirect
from satc.workbench.web.api.dependencies import (
    CurrentAuthenticator,
    CurrentOpenProjects,
    CurrentUser,
)
from satc.workbench.web.api.responses.projects import projects_response
from satc.workbench.web.rendering import render_page

router = APIRouter()


@router.get("/")
def home(
    request: Request,
    user: CurrentUser,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
) -> Response:
    """List the projects; if there is only one, go to its workbench."""
    found = projects_response(open_projects, user).projects
    if len(found) == 1 and found[0].state == "ready":
        return redirect(request, f"/p/{quote(found[0].name, safe='')}")
    return projects(request, user, authenticator, open_projects)


@router.get("/projects")
def projects(
    request: Request,
    user: CurrentUser,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
) -> Response:
    """List the projects, with those that are being created and those that failed."""
    shown = [one.model_dump() for one in projects_response(open_projects, user).projects]
    areas = ("common", "projects")
    return render_page(request, authenticator, user, "projects.html", areas=areas, projects=shown)
