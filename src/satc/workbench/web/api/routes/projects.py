"""Routes for projects: the list, the settings and the classes."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from satc.workbench.web.api.dependencies import CurrentOpenProjects, CurrentProject, CurrentUser
from satc.workbench.web.api.models.projects import ProjectOut, Projects
from satc.workbench.web.api.responses.classes import book_tag, classes_response
from satc.workbench.web.api.responses.projects import project_response, projects_response

router = APIRouter()


@router.get("/projects")
def projects(user: CurrentUser, open_projects: CurrentOpenProjects) -> Projects:
    """List your projects; managers see those that are being created, too."""
    return projects_response(open_projects, user)


@router.get("/projects/{name}")
def project(open_project: CurrentProject) -> ProjectOut:
    """Return the settings of a project."""
    return project_response(open_project)


@router.get("/projects/{name}/classes", responses={304: {"description": "Not changed."}})
def classes(request: Request, response: Response, project: CurrentProject) -> Any:
    """Return the classes; only the code book can change, so clients can cache them."""
    stored = project.desk.project
    tag = f'"{stored.key}-{stored.created_at}{book_tag(stored)}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    return classes_response(stored)
