"""Route for the overview: who did how much and when, the audit, classes that need attention."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from satc.workbench.review.managing.overview import AuditStatus, Overview, audit_status
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store.documents import snippets
from satc.workbench.store.people.members import readers_of
from satc.workbench.web.access.authentication import Authenticator, Identity
from satc.workbench.web.api.dependencies import (
    CurrentAuthenticator,
    CurrentManager,
    CurrentProject,
)
from satc.workbench.web.api.managing.leases import LeaseLine, lease_lines

router = APIRouter(prefix="/projects/{name}")
_MOST_LISTED = 50  # undecided documents of the audit


class PersonWorkOut(BaseModel):
    """The work of one person; `quarters` counts documents by quarters of an hour since 1970."""

    name: str
    n_decided: int
    n_second: int
    n_changed: int
    n_corrected: int
    seconds_per_document: float | None
    quarters: list[tuple[int, int]]


class AuditedOut(BaseModel):
    """A document that was drawn for the audit and that nobody has decided on."""

    document: int
    id: str
    who: str | None


class AuditOverview(BaseModel):
    """How far the audit is; `undecided` lists at most 50 documents."""

    share: float
    n_drawn: int
    n_decided: int
    n_undecided: int
    undecided: list[AuditedOut]


class ExpectedErrorsOut(BaseModel):
    """The errors of a class that are expected among the undecided documents."""

    label: int
    name: str
    predicted: int
    wrong: float
    missing: float


class ClassAgreementOut(BaseModel):
    """How often two people gave the same label, in the documents where one of them did."""

    label: int
    name: str
    n_either: int
    n_both: int


class OverviewOut(BaseModel):
    """The overview of a project; `errors` is null if the method has no probabilities."""

    people: list[PersonWorkOut]
    readers: list[str]
    leases: list[LeaseLine]
    audit: AuditOverview
    errors: list[ExpectedErrorsOut] | None
    agreement: list[ClassAgreementOut]


@router.get("/overview")
def overview(
    user: CurrentManager, project: CurrentProject, authenticator: CurrentAuthenticator
) -> OverviewOut:
    """Return who did how much, what is open, the audit, and the classes that need attention."""
    desk, latest = project.desk, project.overviews.latest()
    with desk.reading():
        held = sorted(desk.leases, key=lambda lease: lease.expires_at)
    return OverviewOut(
        people=[PersonWorkOut(**one._asdict()) for one in latest.people],
        readers=_readers(project, authenticator, user),
        leases=lease_lines(desk, held),
        audit=_audit(project, audit_status(desk)),
        errors=_errors(project, latest),
        agreement=[
            ClassAgreementOut(name=desk.project.names[one.label], **one._asdict())
            for one in latest.agreement
        ],
    )


def _readers(project: OpenProject, authenticator: Authenticator, user: Identity) -> list[str]:
    """Return the people to whom a document can be given."""
    if authenticator.single_user:
        return [user.name]
    return readers_of(project.desk.store, project.desk.project.key)


def _errors(project: OpenProject, latest: Overview) -> list[ExpectedErrorsOut] | None:
    if latest.errors is None:
        return None
    names = project.desk.project.names
    return [
        ExpectedErrorsOut(
            label=one.label,
            name=names[one.label],
            predicted=one.predicted,
            wrong=round(one.wrong, 1),
            missing=round(one.missing, 1),
        )
        for one in latest.errors
    ]


def _audit(project: OpenProject, status: AuditStatus | None) -> AuditOverview:
    desk = project.desk
    share = desk.project.settings.audit
    n_drawn, n_decided, undecided = status or AuditStatus(0, 0, ())
    listed = undecided[:_MOST_LISTED]
    ids = snippets(desk.store, desk.project.key, [document for document, _ in listed], 0)
    return AuditOverview(
        share=share,
        n_drawn=n_drawn,
        n_decided=n_decided,
        n_undecided=len(undecided),
        undecided=[
            AuditedOut(document=document, id=ids[document][0], who=who) for document, who in listed
        ],
    )
