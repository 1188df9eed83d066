"""Routes for decisions that are in force: list and replace them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from satc.workbench.web.api.checks import check_labels
from satc.workbench.web.api.dependencies import CurrentProject, CurrentUser, DocumentIndex
from satc.workbench.web.api.models.decisions import Decisions, LabelsIn, Saved
from satc.workbench.web.api.responses.decisions import decisions_response, saved_response

router = APIRouter(prefix="/projects/{name}")


@router.get("/decisions")
def decisions(
    user: CurrentUser,
    project: CurrentProject,
    limit: Annotated[int, Query(ge=1, le=500)] = 20,
    mine: Annotated[bool, Query(description="Only your own decisions.")] = True,
) -> Decisions:
    """List the decisions that are in force, the latest first."""
    desk = project.desk
    with desk.locked():
        visible = [
            decision
            for decision in desk.record.recent_decisions(limit, user.name if mine else None)
            if not desk.leases.is_second_reader(user.name, decision.document)
        ]
    return decisions_response(desk, visible)


@router.put("/documents/{index}/decision")
def revise(
    user: CurrentUser, project: CurrentProject, index: DocumentIndex, sent: LabelsIn
) -> Saved:
    """Replace a decision: your own, or that of anybody if you are a manager."""
    desk = project.desk
    labels = check_labels(desk, sent.labels)
    number = desk.revise(index, user.name, labels, any_author=user.is_manager)
    return saved_response(desk, number, labels)
