"""Route: the OpenAPI description of the API, for people who are logged in."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from satc.workbench.web.api.dependencies import CurrentUser

router = APIRouter()


@router.get("/openapi.json", include_in_schema=False)
def description(request: Request, user: CurrentUser) -> JSONResponse:
    """Return the description; it names the path under which a proxy serves the API."""
    described: dict[str, Any] = request.app.openapi()
    if root := request.scope.get("root_path", ""):
        described = {**described, "servers": [{"url": root}]}
    return JSONResponse(described)
