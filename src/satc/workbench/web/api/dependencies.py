"""FastAPI dependencies of the routes: who sends a request, to which project and document.

They are asynchronous although they do not wait: FastAPI would run ordinary functions in a thread
each, which costs more than they do.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request
from fastapi.concurrency import run_in_threadpool

from satc.errors import DataError
from satc.workbench.review.open_projects import OpenProject, OpenProjects
from satc.workbench.web.authentication import Authenticator, Identity

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


async def get_authenticator(request: Request) -> Authenticator:
    """Return the authenticator of the server."""
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator


async def get_open_projects(request: Request) -> OpenProjects:
    """Return the open projects of the server."""
    open_projects: OpenProjects = request.app.state.open_projects
    return open_projects


CurrentAuthenticator = Annotated[Authenticator, Depends(get_authenticator)]
CurrentOpenProjects = Annotated[OpenProjects, Depends(get_open_projects)]


async def identify(request: Request, authenticator: CurrentAuthenticator) -> Identity:
    """Return the user by token or cookie; with a cookie, changes also need the CSRF token."""
    authorization = request.headers.get("authorization", "")
    cookie = request.cookies.get(authenticator.cookie_name, "")
    identity = authenticator.identify(authorization, cookie)
    if identity is None:
        has_token = authorization.lower().startswith("bearer ")
        detail = "this token is not known" if has_token else "log in first, or send a token"
        raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
    csrf_token = request.headers.get("x-csrf-token", "")
    is_change = identity.by_cookie and request.method not in _SAFE_METHODS
    if is_change and not authenticator.is_csrf_token(csrf_token, cookie):
        raise HTTPException(403, "the header X-CSRF-Token must hold the token of the page")
    return identity


CurrentUser = Annotated[Identity, Depends(identify)]


async def require_manager(user: CurrentUser) -> Identity:
    """Return the user if it is a manager."""
    if not user.is_manager:
        raise HTTPException(403, "only managers may do this")
    return user


CurrentManager = Annotated[Identity, Depends(require_manager)]


async def get_project(
    user: CurrentUser,
    open_projects: CurrentOpenProjects,
    name: Annotated[str, Path(min_length=1, max_length=100, description="Name of the project.")],
) -> OpenProject:
    """Return the project of the path, opened if it is not open yet."""
    if (found := open_projects.find(name)) is not None:
        return found
    try:
        return await run_in_threadpool(open_projects.open, name)
    except DataError as error:
        if name in open_projects.names():
            raise
        raise HTTPException(404, f"there is no project {name!r}") from error


CurrentProject = Annotated[OpenProject, Depends(get_project)]


async def get_document_index(
    project: CurrentProject,
    index: Annotated[int, Path(ge=0, lt=2**31, description="Number of the document.")],
) -> int:
    """Return the document number of the path if there is such a document."""
    if index >= project.desk.project.n_documents:
        raise HTTPException(404, f"there is no document {index}")
    return index


DocumentIndex = Annotated[int, Depends(get_document_index)]
LeaseId = Annotated[str, Path(min_length=1, max_length=40, description="Id of the lease.")]
