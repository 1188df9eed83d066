"""Routes for disagreements: list and settle them; and for the agreement of people."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query

from satc.workbench.review.disagreements.agreement import project_agreement
from satc.workbench.review.disagreements.settling import disagreements_for, settle_now
from satc.workbench.web.api.checks import check_labels
from satc.workbench.web.api.dependencies import CurrentProject, CurrentUser, DocumentIndex
from satc.workbench.web.api.disagreements.models import AgreementOut, Disagreements, SettleIn
from satc.workbench.web.api.disagreements.responses import (
    agreement_response,
    disagreements_response,
)
from satc.workbench.web.api.models.decisions import Saved
from satc.workbench.web.api.queued import queued
from satc.workbench.web.api.responses.decisions import saved_response

router = APIRouter(prefix="/projects/{name}")


@router.get("/disagreements")
def disagreements(
    user: CurrentUser,
    project: CurrentProject,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Disagreements:
    """List the disagreements that you may settle, the most useful first."""
    queue = disagreements_for(project.desk, user.name, is_manager=user.is_manager)
    return disagreements_response(project.desk, queue, limit)


@router.post("/disagreements/{index}/settle")
async def settle_disagreement(
    user: CurrentUser, project: CurrentProject, index: DocumentIndex, sent: SettleIn
) -> Saved:
    """Settle a disagreement: the labels that you send are in force from now on."""
    desk = project.desk
    labels = check_labels(desk, sent.labels)
    settling = partial(settle_now, answers=(sent.first, sent.second), is_manager=user.is_manager)
    number = await queued(desk, settling, desk, index, user.name, labels)
    return saved_response(desk, number, labels)


@router.get("/agreement")
def agreement(user: CurrentUser, project: CurrentProject) -> AgreementOut:
    """Return how well people agree, by class and by person, and whether that has changed.

    Only managers see the lines of all people; you see your own.
    """
    desk = project.desk
    with desk.reading():
        n_classes, settings = len(desk.project.classes), desk.project.settings
        found = project_agreement(desk.record, n_classes, is_single=settings.is_single_label)
    if not user.is_manager:
        found = found._replace(people=[one for one in found.people if one.who == user.name])
    return agreement_response(found)
