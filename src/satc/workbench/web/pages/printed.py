"""Results of a project for managers: the report, the certificate and the shares of classes.

They are made from what is stored, beside the server if the project is large, while people go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Response
from fastapi.concurrency import run_in_threadpool

from satc.errors import DataError
from satc.workbench.messages import Message
from satc.workbench.reports import results
from satc.workbench.reports.report_page import ColdStart, Estimated
from satc.workbench.review.aside import answer_aside
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import Store
from satc.workbench.store.projects import Project
from satc.workbench.web.api.dependencies import CurrentManager, CurrentProject
from satc.workbench.web.api.long_work import CurrentLongWork
from satc.workbench.web.pages.project_page import CurrentPage, ProjectPage
from satc.workbench.web.printed_policy import printed_page

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

router = APIRouter()


@router.get("/p/{name}/report")
async def report(
    user: CurrentManager, open_project: CurrentProject, long_work: CurrentLongWork
) -> Response:
    """Show the report of a project, with the accuracy that is estimated now."""

    def work() -> str:
        return _aside(open_project, results.report_page, live_estimate(open_project))

    return printed_page(await long_work.run(work))


@router.get("/p/{name}/certificate")
async def certificate(
    user: CurrentManager,
    open_project: CurrentProject,
    page: CurrentPage,
    long_work: CurrentLongWork,
) -> Response:
    """Show the certificate of a project, or say why there is none."""
    try:
        found = await long_work.run(_aside, open_project, results.certificate_page)
    except DataError:
        return await run_in_threadpool(_no_certificate, open_project, page)
    return printed_page(found)


@router.get("/p/{name}/certificate.json")
async def certificate_file(
    user: CurrentManager,
    open_project: CurrentProject,
    page: CurrentPage,
    long_work: CurrentLongWork,
) -> Response:
    """Download the certificate of a project as JSON, or say why there is none."""
    try:
        found = await long_work.run(_aside, open_project, results.certificate_file)
    except DataError:
        return await run_in_threadpool(_no_certificate, open_project, page)
    return _download(open_project, "certificate.json", "application/json", found)


@router.get("/p/{name}/shares.csv")
async def shares(
    user: CurrentManager,
    open_project: CurrentProject,
    page: CurrentPage,
    long_work: CurrentLongWork,
) -> Response:
    """Download the shares of the classes as a table, or say why there are none."""
    try:
        found = await long_work.run(_aside, open_project, results.shares_file)
    except DataError:
        said = Message("manage.no_shares"), Message("manage.no_shares_part")
        return await run_in_threadpool(_explanation, page, *said)
    return _download(open_project, "shares.csv", "text/csv; charset=utf-8", found)


def _aside(
    open_project: OpenProject,
    function: Callable[Concatenate[Store, Project, Arguments], Result],
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Result:
    """Compute a result of a project beside the server, if it is large."""
    desk = open_project.desk
    return answer_aside(desk.store, desk.project, function, *arguments, **options)


def live_estimate(open_project: OpenProject) -> Estimated:
    """Return the estimates of an open project, as far as they are computed."""
    monitor, standing = open_project.live_accuracy, open_project.desk.validation.standing
    points = list(monitor.points) if monitor.latest() is not None else None
    unknown = monitor.why_unknown()
    reason = None if unknown is None else str(unknown)
    return Estimated(points, None if standing is None else ColdStart(str(standing), reason))


def _no_certificate(open_project: OpenProject, page: ProjectPage) -> Response:
    settings = open_project.desk.project.settings
    if settings.stored is not None:
        reason = Message("manage.no_certificate_part")
    elif settings.audit == 0 and not open_project.desk.record.drawn_for_audit:
        reason = Message("manage.no_certificate_audit")
    else:
        reason = Message("manage.no_certificate_yet")
    return _explanation(page, Message("manage.no_certificate"), reason)


def _explanation(page: ProjectPage, heading: Message, reason: Message) -> Response:
    """Say why something cannot be shown."""
    response = page.render("not_available.html", "manage", heading=heading, reason=reason)
    response.status_code = 409
    return response


def _download(open_project: OpenProject, end: str, media_type: str, content: bytes) -> Response:
    """Answer with a file whose name begins with that of the project."""
    file_name = quote(f"{open_project.desk.project.name}-{end}", safe="")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{file_name}"}
    return Response(content, media_type=media_type, headers=headers)
