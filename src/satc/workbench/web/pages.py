"""The pages: the workbench, the list of projects, and the door."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader

from satc import __version__
from satc.workbench.review.open_projects import Desks
from satc.workbench.store.projects import list_projects
from satc.workbench.web.api.guards import Who, access_of, desks_of
from satc.workbench.web.api.routes import projects as listed
from satc.workbench.web.authentication import SESSION_SECONDS, Access, TooManyAttemptsError

router = APIRouter(include_in_schema=False)
_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True
)
InAccess = Annotated[Access, Depends(access_of)]


@router.get("/")
def home(
    request: Request, who: Who, access: InAccess, desks: Annotated[Desks, Depends(desks_of)]
) -> Response:
    """Show the projects; where there is one, that one."""
    found = listed(who, desks).projects
    if len(found) == 1 and found[0].state == "ready":
        return RedirectResponse(f"/p/{quote(found[0].name)}", 303)
    return _page(
        request, access, who, "projects.html", projects=[one.model_dump() for one in found]
    )


@router.get("/p/{name}")
def workbench(
    request: Request,
    who: Who,
    access: InAccess,
    desks: Annotated[Desks, Depends(desks_of)],
    name: str,
) -> Response:
    """Show the workbench of a project."""
    titles = {project.name: project.settings.title for project in list_projects(desks.store)}
    if name not in titles:
        raise HTTPException(404, f"there is no project {name!r}")
    return _page(
        request, access, who, "workbench.html", project={"name": name, "title": titles[name]}
    )


@router.get("/enter")
def enter(
    request: Request, access: InAccess, key: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Come in by the secret link."""
    session = access.by_link(key)
    if session is None:
        raise HTTPException(403, "this link is not valid; the server prints the right one")
    return _welcome(request, access, session)


@router.get("/login")
def login_page(request: Request, access: InAccess) -> HTMLResponse:
    """Ask for a name and a password."""
    return _door(request, access)


@router.post("/login")
def login(
    request: Request,
    access: InAccess,
    name: Annotated[str, Form(max_length=100)] = "",
    password: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """Come in by a password; the form must be ours."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"{request.url.scheme}://{request.headers.get('host')}":
        raise HTTPException(403, "log in on the page itself")
    address = request.client.host if request.client else ""
    try:
        session = access.by_password(name, password, address)
    except TooManyAttemptsError as error:
        answer = _door(request, access, str(error).capitalize() + ".", 429)
        answer.headers["Retry-After"] = "60"
        return answer
    if session is None:
        return _door(request, access, "The name or the password is wrong.", 401)
    return _welcome(request, access, session)


@router.post("/logout")
def logout(
    request: Request, access: InAccess, csrf_token: Annotated[str, Form(max_length=100)] = ""
) -> Response:
    """Leave; only a page of ours can ask for it."""
    if not access.is_csrf_token(csrf_token, request.cookies.get(access.cookie, "")):
        raise HTTPException(403, "log out on the page itself")
    answer = to_login()
    answer.delete_cookie(access.cookie)
    return answer


def to_login() -> Response:
    """Send somebody to the door."""
    return RedirectResponse("/login", 303)


def _welcome(request: Request, access: Access, session: str) -> Response:
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        access.cookie,
        session,
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


def _door(
    request: Request, access: Access, message: str | None = None, status: int = 200
) -> HTMLResponse:
    if access.single_user:
        message = "This workbench has no users: come in by the link that 'satc serve' has printed."
    return _rendered("login.html", status, message=message, user=None, csrf_token="", project=None)


def _page(request: Request, access: Access, who: Any, template: str, **values: Any) -> Response:
    user = {"name": who.name, "role": who.role, "single_user": access.single_user}
    cookie = request.cookies.get(access.cookie, "")
    return _rendered(template, 200, user=user, csrf_token=access.csrf_token(cookie), **values)


def _rendered(template: str, status: int, **values: Any) -> HTMLResponse:
    page = _templates.get_template(template).render(version=__version__, **values)
    return HTMLResponse(page, status)
