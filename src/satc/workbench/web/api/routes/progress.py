"""Routes for the progress of a project: its status, and the plan."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from satc.workbench.messages import Message
from satc.workbench.model.settings import PROBABILITY, TARGET
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.web.api.dependencies import CurrentMessages, CurrentProject, CurrentUser
from satc.workbench.web.api.models.progress import PlanOut, Status
from satc.workbench.web.api.responses.progress import plan_response, status_response

router = APIRouter(prefix="/projects/{name}")


@router.get("/status")
def status(user: CurrentUser, project: CurrentProject, say: CurrentMessages) -> Status:
    """Return how many documents are validated and the estimated accuracy of all labels."""
    return status_response(project, user.name, say)


@router.get("/plan")
def plan(
    user: CurrentUser,
    project: CurrentProject,
    target: Annotated[float, Query(gt=0, le=1, description="The accuracy to reach.")] = TARGET,
    probability: Annotated[
        float, Query(gt=0, lt=1, description="The probability of reaching it.")
    ] = PROBABILITY,
    hours: Annotated[
        float | None, Query(gt=0, le=1e6, description="Also say how far these hours go.")
    ] = None,
) -> PlanOut:
    """Return how much work is left until a target, and how far some hours of work go."""
    found = plan_response(project, target, probability, hours)
    if found is None:
        raise HTTPException(409, _why_no_plan(project))
    return found


def _why_no_plan(project: OpenProject) -> Message:
    validation = project.desk.validation
    if validation.n_validated == validation.n_documents:
        return Message("server.nothing_to_plan")
    return project.live_accuracy.why_unknown() or Message("server.accuracy_soon")
