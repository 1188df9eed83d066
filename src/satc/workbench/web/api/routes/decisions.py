"""Routes for decisions that are in force: list and replace them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from satc.workbench.messages import Message
from satc.workbench.web.api.checks import check_labels
from satc.workbench.web.api.dependencies import CurrentProject, CurrentUser, DocumentIndex
from satc.workbench.web.api.models.decisions import Decisions, LabelsIn, Saved
from satc.workbench.web.api.queued import queued
from satc.workbench.web.api.responses.decisions import decisions_response, saved_response

router = APIRouter(prefix="/projects/{name}")
_MINE = (
    "Only your own decisions. By default, managers get the decisions of everybody and annotators "
    "get their own; annotators cannot get those of others, because they may be asked for a second "
    "opinion."
)


@router.get("/decisions")
def decisions(
    user: CurrentUser,
    project: CurrentProject,
    limit: Annotated[int, Query(ge=1, le=500)] = 20,
    mine: Annotated[bool | None, Query(description=_MINE)] = None,
) -> Decisions:
    """List the decisions that are in force, the latest first."""
    desk = project.desk
    if mine is None:
        mine = not user.is_manager
    if not (mine or user.is_manager):
        raise HTTPException(403, Message("server.decisions_of_others"))
    with desk.reading():
        visible = [
            decision
            for decision in desk.record.recent_decisions(limit, user.name if mine else None)
            if not desk.leases.is_second_reader(user.name, decision.document)
        ]
    return decisions_response(desk, visible)


@router.put("/documents/{index}/decision")
async def revise(
    user: CurrentUser, project: CurrentProject, index: DocumentIndex, sent: LabelsIn
) -> Saved:
    """Replace a decision: your own, or that of anybody if you are a manager."""
    desk = project.desk
    labels = check_labels(desk, sent.labels)
    number = await queued(desk, desk.revise, index, user.name, labels, any_author=user.is_manager)
    return saved_response(desk, number, labels)
