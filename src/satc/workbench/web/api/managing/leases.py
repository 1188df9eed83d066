"""Routes for the documents that people have open: list them, give one to somebody else."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field

from satc.workbench.messages import Message
from satc.workbench.model.shown import Source
from satc.workbench.review.desk import Desk
from satc.workbench.store.documents import snippets
from satc.workbench.store.leases import Lease
from satc.workbench.store.people.members import readers_of
from satc.workbench.web.access.authentication import Authenticator, Identity
from satc.workbench.web.api.dependencies import (
    CurrentAuthenticator,
    CurrentManager,
    CurrentProject,
    LeaseId,
)
from satc.workbench.web.api.models.common import RequestModel, StorableText

router = APIRouter(prefix="/projects/{name}")


class LeaseLine(BaseModel):
    """A document that somebody has open; `since` is null if it is not known."""

    lease: str
    document: int
    id: str
    who: str
    since: str | None
    expires: str
    has_expired: bool
    source: Source


class Leases(BaseModel):
    """The documents that people have open."""

    leases: list[LeaseLine]


class AssignIn(RequestModel):
    """The person who gets a document."""

    who: Annotated[StorableText, Field(min_length=1, max_length=100)]


@router.get("/leases")
def leases(user: CurrentManager, project: CurrentProject) -> Leases:
    """List the documents that people have open, the first to expire first."""
    with project.desk.reading():
        held = sorted(project.desk.leases, key=lambda lease: lease.expires_at)
    return Leases(leases=lease_lines(project.desk, held))


@router.post("/leases/{lease}/assign")
def assign(
    user: CurrentManager,
    project: CurrentProject,
    authenticator: CurrentAuthenticator,
    lease: LeaseId,
    sent: AssignIn,
) -> LeaseLine:
    """Give a document that somebody has open to another person, whose next document it becomes."""
    desk = project.desk
    check_person(desk, authenticator, user, sent.who)
    return lease_lines(desk, [desk.assign(lease, sent.who)])[0]


def check_person(desk: Desk, authenticator: Authenticator, user: Identity, who: str) -> None:
    """Answer with status 404 if nobody of this name may open the project."""
    alone = authenticator.single_user
    known = [user.name] if alone else readers_of(desk.store, desk.project.key)
    if who not in known:
        raise HTTPException(404, Message("manage.no_such_person", name=who))


def lease_lines(desk: Desk, held: list[Lease]) -> list[LeaseLine]:
    """Describe leases, with the ids of their documents."""
    found = snippets(desk.store, desk.project.key, [lease.document for lease in held], 0)
    return [
        LeaseLine(
            lease=lease.lease,
            document=lease.document,
            id=found[lease.document][0],
            who=lease.who,
            since=lease.opened_at,
            expires=lease.expires_at,
            has_expired=desk.leases.has_expired(lease),
            source=lease.shown.source,
        )
        for lease in held
    ]
