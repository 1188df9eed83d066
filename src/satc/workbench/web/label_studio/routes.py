"""The protocol of Label Studio's ML backends: health, setup, predict and webhook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from satc.errors import DataError
from satc.files.formats.json_texts import parse_json
from satc.workbench.review.label_studio.annotations import (
    CREATED,
    DELETED,
    UPDATED,
    annotations_of,
    decide_all,
    number_of,
    undo_all,
)
from satc.workbench.review.label_studio.order import MODEL
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.web.api.dependencies import CurrentOpenProjects, opened_project
from satc.workbench.web.api.queued import queued
from satc.workbench.web.label_studio.access import PREFIX, LabelStudioKeys

router = APIRouter(include_in_schema=False)
_NOT_FOUND = "there is no such model; 'satc serve --label-studio' prints its address"


async def get_guest_project(
    request: Request,
    open_projects: CurrentOpenProjects,
    name: Annotated[str, Path(min_length=1, max_length=100)],
) -> OpenProject:
    """Return the project of the path, if the request has its key."""
    keys: LabelStudioKeys | None = request.app.state.label_studio
    if keys is None:
        raise HTTPException(404, _NOT_FOUND)
    key = request.path_params.get("key")
    if not keys.admits(name, key, request.headers.get("authorization", "")):
        if key is not None:
            raise HTTPException(404, _NOT_FOUND)
        raise HTTPException(401, "the key is missing or wrong", {"WWW-Authenticate": "Basic"})
    request.state.user_name = MODEL  # for the access log
    return await opened_project(open_projects, name)


GuestProject = Annotated[OpenProject, Depends(get_guest_project)]


async def get_body(request: Request, project: GuestProject) -> dict[str, Any]:
    """Return the body of a request, which must be a JSON object; the key is checked first."""
    body = await request.body()
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"the body must be JSON in UTF-8: {error}") from None
    found = await run_in_threadpool(parse_json, text, "the body must be JSON")
    if not isinstance(found, dict):
        raise DataError(f"the body must be a JSON object, but is {found!r:.80}")
    return found


Body = Annotated[dict[str, Any], Depends(get_body)]


async def health(project: GuestProject) -> dict[str, str]:
    """Say that the model answers."""
    return {"status": "UP", "model_class": MODEL}


def set_up(project: GuestProject, body: Body) -> dict[str, str]:
    """Check the labelling configuration, and tell the version of the model."""
    return {"model_version": project.label_studio.set_up(body.get("schema"))}


def predict(project: GuestProject, body: Body) -> dict[str, Any]:
    """Return a prediction with a score for each task."""
    tasks, config = body.get("tasks"), body.get("label_config")
    results = project.label_studio.predict(tasks, config)
    return {"results": results, "model_version": project.label_studio.version()}


async def webhook(project: GuestProject, body: Body) -> JSONResponse:
    """Save annotations as decisions; other messages are acknowledged."""
    action, desk = body.get("action"), project.desk
    if action in (*CREATED, *UPDATED):
        given = await run_in_threadpool(project.label_studio.annotated, body)
        n = await queued(desk, decide_all, desk, given)
        return JSONResponse({"status": "ok", "decisions": n}, 201)
    if action in DELETED:
        numbers = [number_of(one) for one in annotations_of(body)]
        n = await queued(desk, undo_all, desk, numbers)
        return JSONResponse({"status": "ok", "undone": n}, 201)
    return JSONResponse({"status": "ignored"})


def _add(method: str, path: str, route: Callable[..., Any]) -> None:
    """Answer at the address without a key, and at that with one."""
    for base in (f"{PREFIX}/{{name}}", f"{PREFIX}/{{name}}/{{key}}"):
        router.add_api_route(f"{base}{path}", route, methods=[method])


_add("GET", "/health", health)
_add("POST", "/setup", set_up)
_add("POST", "/predict", predict)
_add("POST", "/webhook", webhook)
_add("GET", "/", health)
_add("GET", "", health)
