"""The router of the API: all routes under `/api/v1`, with the errors that each can answer."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from satc.workbench.web.api import managing
from satc.workbench.web.api.disagreements import routes as disagreements
from satc.workbench.web.api.models.common import Problem
from satc.workbench.web.api.near_duplicates import routes as near_duplicates
from satc.workbench.web.api.routes import (
    assignments,
    decisions,
    description,
    document_table,
    documents,
    explanations,
    export,
    progress,
    projects,
    session,
    upload,
)

_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": text}
    for code, text in {
        400: "The request cannot be used.",
        401: "The sender is not logged in.",
        403: "The user is not allowed to do this.",
        404: "There is no such project, document or class.",
        409: "The request conflicts with the present state.",
        413: "The body is too large.",
        422: "The request does not have the right form.",
        503: "The database is full or cannot be reached; everything saved before is safe.",
    }.items()
}
router = APIRouter(prefix="/api/v1", responses=_ERRORS)
for resource in (
    description,
    session,
    projects,
    assignments,
    decisions,
    document_table,
    documents,
    explanations,
    disagreements,
    near_duplicates,
    progress,
    upload,
    export,
    managing,
):
    router.include_router(resource.router)
