"""The pages for people who are logged in: the list of projects, and the workbench of a project."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from satc.ranking.options import FOR_MEASURE
from satc.workbench.store.projects import list_projects
from satc.workbench.web.api.dependencies import (
    CurrentAuthenticator,
    CurrentOpenProjects,
    CurrentUser,
)
from satc.workbench.web.api.responses.projects import projects_response
from satc.workbench.web.rendering import render_page

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(
    request: Request,
    user: CurrentUser,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
) -> Response:
    """List the projects; if there is only one, go to its workbench."""
    found = projects_response(open_projects).projects
    if len(found) == 1 and found[0].state == "ready":
        return RedirectResponse(f"/p/{quote(found[0].name)}", 303)
    projects = [one.model_dump() for one in found]
    return render_page(request, authenticator, user, "projects.html", projects=projects)


@router.get("/p/{name}")
def workbench(
    request: Request,
    user: CurrentUser,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
    name: str,
) -> Response:
    """Show the workbench of a project."""
    settings = {one.name: one.settings for one in list_projects(open_projects.store)}
    if name not in settings:
        raise HTTPException(404, f"there is no project {name!r}")
    project = {
        "name": name,
        "title": settings[name].title,
        "is_single": settings[name].is_single_label,
        "is_chosen": settings[name].decide == FOR_MEASURE,
        "measure": settings[name].measure_name,
    }
    return render_page(request, authenticator, user, "workbench.html", project=project)
