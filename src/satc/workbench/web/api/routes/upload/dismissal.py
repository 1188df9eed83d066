"""Route for projects that could not be created: dismiss the message."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path

from satc.workbench.web.api.dependencies import CurrentManager, CurrentOpenProjects
from satc.workbench.web.api.models.common import Nothing

router = APIRouter()


@router.delete("/projects/{name}/creation")
def dismiss_creation(
    user: CurrentManager,
    open_projects: CurrentOpenProjects,
    name: Annotated[str, Path(min_length=1, max_length=100, description="Name of the project.")],
) -> Nothing:
    """Dismiss the message about a project that could not be created."""
    job = open_projects.jobs.get(name)
    if job is None:
        raise HTTPException(404, f"no project {name!r} has failed")
    if job.error is None:
        raise HTTPException(409, f"the project {name!r} is still being created")
    open_projects.creations.dismiss(name)
    return Nothing()
