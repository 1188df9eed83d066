"""The calls. Those on a project are about the person who asks: their documents, their undo.

`next` and `submit` are asynchronous so that they are served in the order in which they came: the
desk does one thing at a time anyway, and threads that wait for it would overtake each other.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, Response

from satc.workbench.review.dispatch import FETCHING
from satc.workbench.review.explanation import as_dict, explain
from satc.workbench.review.open_projects import Desks
from satc.workbench.store.documents import get_document
from satc.workbench.store.projects import get_project, list_projects
from satc.workbench.web.api import models, views
from satc.workbench.web.api.guards import Index, InProject, Who, access_of, desks_of
from satc.workbench.web.authentication import Access

PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"model": models.Problem, "description": text}
    for code, text in {
        400: "What was sent cannot be used.",
        401: "Log in first.",
        403: "Not allowed.",
        404: "There is no such thing.",
        409: "It does not fit what was done meanwhile.",
        413: "Too much was sent.",
        422: "What was sent is not of the right form.",
        503: "The database cannot be reached, or is full; what was saved is safe.",
    }.items()
}
router = APIRouter(prefix="/api/v1", responses=PROBLEMS)
LeaseId = Annotated[str, Path(min_length=1, max_length=40, description="The lease.")]


@router.get("/me")
def me(request: Request, who: Who, access: Annotated[Access, Depends(access_of)]) -> models.Me:
    """Say who is asking."""
    cookie = request.cookies.get(access.cookie, "") if who.by_cookie else ""
    return models.Me(
        name=who.name,
        role=who.role,
        csrf_token=access.csrf_token(cookie) if cookie else "",
        single_user=access.single_user,
    )


@router.get("/projects")
def projects(who: Who, desks: Annotated[Desks, Depends(desks_of)]) -> models.Projects:
    """List the projects, those that are being made too."""
    lines = [_line(desks, project.name) for project in list_projects(desks.store)]
    for name, job in [*desks.jobs.items()]:
        lines.append(
            models.ProjectLine(
                name=name,
                title=job.title,
                state="creating" if job.error is None else "failed",
                n_documents=0,
                n_classes=0,
                n_validated=None,
                error=job.error,
                progress=job.progress,
            )
        )
    return models.Projects(projects=lines)


def _line(desks: Desks, name: str) -> models.ProjectLine:
    opened = desks.opened(name)
    project = get_project(desks.store, name)
    return models.ProjectLine(
        name=name,
        title=project.settings.title,
        state="ready",
        n_documents=project.n_whole,
        n_classes=len(project.classes),
        n_validated=None if opened is None else opened.desk.validation.n_validated,
    )


@router.get("/projects/{name}")
def project(opened: InProject) -> models.ProjectOut:
    """Say what a project was set to."""
    found = opened.desk.project
    settings = found.settings
    return models.ProjectOut(
        name=found.name,
        title=settings.title,
        guidelines=settings.guidelines,
        measure=settings.measure,
        average=settings.average,
        method=settings.method,
        n_documents=found.n_whole,
        n_classes=len(found.classes),
        lease_seconds=settings.lease_seconds,
        overlap=settings.overlap,
        blind=settings.blind,
        has_words=bool(opened.lexicon),
    )


@router.get("/projects/{name}/classes", responses={304: {"description": "Not changed."}})
def classes(request: Request, response: Response, opened: InProject) -> Any:
    """Name the classes; they never change, so they need to be fetched only once."""
    tag = f'"{opened.desk.project.key}-{opened.desk.project.created_at}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    return models.Classes(classes=list(opened.desk.project.classes))


@router.get("/projects/{name}/assignments")
def assignments(who: Who, opened: InProject) -> models.Assignments:
    """List the documents that you have open, the oldest first."""
    desk = opened.desk
    with desk.locked():
        held = desk.leases.of(who.name)
    return models.Assignments(assignments=[views.assignment(desk, lease) for lease in held])


AGAIN_SECONDS = 1.0  # after which to ask for a document that is being fetched


@router.post("/projects/{name}/next")
async def next_document(who: Who, opened: InProject) -> models.Next:
    """Lease the document that matters most now to you."""
    lease, reason = opened.desk.next(who.name)
    shown = None if lease is None else views.assignment(opened.desk, lease)
    again = AGAIN_SECONDS if reason == FETCHING else None
    return models.Next(assignment=shown, reason=reason, again=again)


@router.post("/projects/{name}/leases/{lease}/decision")
async def submit(
    who: Who, opened: InProject, lease: LeaseId, sent: models.DecisionIn
) -> models.Saved:
    """Save your decision on a document that is leased to you."""
    number = opened.desk.submit(lease, who.name, _labels(opened, sent.labels), sent.seconds)
    return models.Saved(decision=number, n_validated=opened.desk.validation.n_validated)


@router.post("/projects/{name}/leases/{lease}/skip")
def skip(who: Who, opened: InProject, lease: LeaseId) -> models.Nothing:
    """Put a document off."""
    opened.desk.skip(lease, who.name)
    return models.Nothing()


@router.post("/projects/{name}/leases/{lease}/renew")
def renew(who: Who, opened: InProject, lease: LeaseId) -> models.Renewed:
    """Keep a document for longer."""
    return models.Renewed(expires=opened.desk.renew(lease, who.name).expires_at)


@router.delete("/projects/{name}/leases/{lease}")
def give_back(who: Who, opened: InProject, lease: LeaseId) -> models.Nothing:
    """Give a document back, undecided."""
    opened.desk.give_back(lease, who.name)
    return models.Nothing()


@router.post("/projects/{name}/undo")
def undo(who: Who, opened: InProject) -> models.Undone:
    """Take back your last decision; its document is yours again."""
    undone, lease = opened.desk.undo(who.name)
    shown = None if lease is None else views.assignment(opened.desk, lease, undone.labels)
    return models.Undone(document=undone.document, assignment=shown)


@router.get("/projects/{name}/decisions")
def decisions(
    who: Who,
    opened: InProject,
    limit: Annotated[int, Query(ge=1, le=500)] = 20,
    mine: Annotated[bool, Query(description="Only your own.")] = True,
) -> models.Decisions:
    """List the decisions that stand, the last one first."""
    desk = opened.desk
    with desk.locked():
        chosen = [
            decision
            for decision in desk.record.recent_decisions(limit, who.name if mine else None)
            if not desk.leases.is_second_reader(who.name, decision.document)
        ]
    return views.decisions(desk, chosen)


@router.get("/projects/{name}/documents/{index}")
def document(who: Who, opened: InProject, index: Index) -> models.DocumentState:
    """Show a document with its labels at this moment."""
    return views.document_state(opened.desk, index, who.name)


@router.put("/projects/{name}/documents/{index}/decision")
def revise(who: Who, opened: InProject, index: Index, sent: models.LabelsIn) -> models.Saved:
    """Replace a decision: your own, or anybody's if you are a manager."""
    labels = _labels(opened, sent.labels)
    number = opened.desk.revise(index, who.name, labels, any_author=who.is_manager)
    return models.Saved(decision=number, n_validated=opened.desk.validation.n_validated)


@router.get("/projects/{name}/documents/{index}/explanation")
def explanation(who: Who, opened: InProject, index: Index) -> models.Explanation:
    """Say why a document stands where it does."""
    if views.is_blind(opened.desk, index, who.name):
        raise HTTPException(403, "predictions are hidden for this document")
    sentence, explained = explain(opened.desk, index)
    shown = [models.ClassExplained(**as_dict(one)) for one in explained]
    return models.Explanation(sentence=sentence, classes=shown)


@router.get("/projects/{name}/documents/{index}/words/{label}")
def words(
    who: Who,
    opened: InProject,
    index: Index,
    label: Annotated[int, Path(ge=0, lt=2**31, description="The number of the class.")],
) -> models.Marks:
    """Mark the words that speak for and against a class, where the learner is known."""
    if label >= len(opened.desk.project.classes):
        raise HTTPException(404, f"there is no class {label}")
    if views.is_blind(opened.desk, index, who.name):
        raise HTTPException(403, "predictions are hidden for this document")
    text = get_document(opened.desk.store, opened.desk.project.key, index).text
    marks = opened.marks(text, label)
    return models.Marks(words=[models.MarkOut(**mark._asdict()) for mark in marks])


@router.put("/projects/{name}/documents/{index}/flag")
def flag(who: Who, opened: InProject, index: Index, sent: models.FlagIn) -> models.Nothing:
    """Mark a document for somebody to look at, or unmark it."""
    opened.desk.flag(index, who.name, sent.flagged)
    return models.Nothing()


@router.put("/projects/{name}/documents/{index}/note")
def note(who: Who, opened: InProject, index: Index, sent: models.NoteIn) -> models.Nothing:
    """Write a note on a document."""
    opened.desk.note(index, who.name, sent.note)
    return models.Nothing()


@router.get("/projects/{name}/status")
def status(who: Who, opened: InProject) -> models.Status:
    """Say how far the work is, and how good the labels are now."""
    return views.status(opened, who.name)


@router.get("/projects/{name}/plan")
def plan(
    who: Who,
    opened: InProject,
    target: Annotated[float, Query(gt=0, le=1, description="What the measure is to reach.")] = 0.95,
    probability: Annotated[float, Query(gt=0, lt=1, description="How surely.")] = 0.9,
    hours: Annotated[float | None, Query(gt=0, le=1e6, description="What do these buy?")] = None,
) -> models.PlanOut:
    """Say how much work is left until a target is reached, and what some hours would buy."""
    found = views.plan(opened, target, probability, hours)
    if found is None:
        left = len(opened.desk.validation.remaining())
        reason = (
            "the estimate is not ready: it needs training data, and a while"
            if left
            else "every document is validated: nothing is left to plan"
        )
        raise HTTPException(409, reason)
    return found


def _labels(opened: InProject, labels: list[int]) -> list[int]:
    n_classes = len(opened.desk.project.classes)
    wrong = next((label for label in labels if label >= n_classes), None)
    if wrong is not None:
        raise HTTPException(
            422, f"labels must be classes, 0 to {n_classes - 1}, but one is {wrong}"
        )
    return labels
