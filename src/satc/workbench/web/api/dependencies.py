"""FastAPI dependencies of the routes: who sends a request, to which project and document.

They are asynchronous although they do not wait: FastAPI would run ordinary functions in a thread
each, which costs more than they do.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request
from fastapi.concurrency import run_in_threadpool

from satc.errors import DataError
from satc.workbench.messages import Message, Messages
from satc.workbench.review.open_projects import OpenProject, OpenProjects
from satc.workbench.web.access.authentication import Authenticator, Identity
from satc.workbench.web.access.identification import PROJECT, identify_sender
from satc.workbench.web.api.kept_files import KeptFiles
from satc.workbench.web.language import messages_for

MAX_LEASE_ID = 40
RETRY_SECONDS = "1"  # while a project is being opened
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


async def get_authenticator(request: Request) -> Authenticator:
    """Return the authenticator of the server."""
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator


async def get_open_projects(request: Request) -> OpenProjects:
    """Return the open projects of the server."""
    open_projects: OpenProjects = request.app.state.open_projects
    return open_projects


async def get_messages(request: Request) -> Messages:
    """Return the messages in the language of the reader."""
    return messages_for(request)


CurrentMessages = Annotated[Messages, Depends(get_messages)]
CurrentAuthenticator = Annotated[Authenticator, Depends(get_authenticator)]
CurrentOpenProjects = Annotated[OpenProjects, Depends(get_open_projects)]


async def get_kept_files(request: Request) -> KeptFiles:
    """Return the uploaded files that wait for their projects."""
    kept: KeptFiles = request.app.state.kept_files
    return kept


CurrentKeptFiles = Annotated[KeptFiles, Depends(get_kept_files)]


async def identify(request: Request, authenticator: CurrentAuthenticator) -> Identity:
    """Return the user of a request, with their role in the project that its path names.

    What a browser sends by itself is not enough for a change, which needs the CSRF token, too. A
    project that the user may not open does not exist for them.
    """
    identity = await identify_sender(request)
    if identity is None:
        has_token = request.headers.get("authorization", "").lower().startswith("bearer ")
        detail = Message("server.unknown_token" if has_token else "server.log_in_first")
        raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
    csrf_token = request.headers.get("x-csrf-token", "")
    is_change = identity.session and request.method not in _SAFE_METHODS
    if is_change and not authenticator.is_csrf_token(csrf_token, identity.session):
        raise HTTPException(403, Message("server.wrong_page_token"))
    request.state.user_name = identity.name  # for the access log
    if not identity.has_access:
        name = request.path_params[PROJECT]
        raise HTTPException(404, Message("server.no_such_project", name=name))
    return identity


CurrentUser = Annotated[Identity, Depends(identify)]


async def require_manager(user: CurrentUser) -> Identity:
    """Return the user if it is a manager."""
    if not user.is_manager:
        raise HTTPException(403, Message("server.managers_only"))
    return user


CurrentManager = Annotated[Identity, Depends(require_manager)]


async def get_project(
    user: CurrentUser,
    open_projects: CurrentOpenProjects,
    name: Annotated[str, Path(min_length=1, max_length=100, description="Name of the project.")],
) -> OpenProject:
    """Return the project of the path."""
    return await opened_project(open_projects, name)


async def opened_project(open_projects: OpenProjects, name: str) -> OpenProject:
    """Return a project, after a check that the sender may use it.

    A project that is not open yet is opened. In a server this takes place in the background, and
    the answer is status 503 with the step that is running.
    """
    if (found := open_projects.find(name)) is not None:
        return found
    try:
        if (opening := await run_in_threadpool(open_projects.begin, name)) is not None:
            raise HTTPException(503, opening.tell(), {"Retry-After": RETRY_SECONDS})
        return await run_in_threadpool(open_projects.open, name)
    except DataError as error:
        if name in open_projects.names():
            raise
        raise HTTPException(404, Message("server.no_such_project", name=name)) from error


CurrentProject = Annotated[OpenProject, Depends(get_project)]


async def get_document_index(
    project: CurrentProject,
    index: Annotated[int, Path(ge=0, lt=2**31, description="Number of the document.")],
) -> int:
    """Return the document number of the path if there is such a document."""
    if index >= project.desk.project.n_documents:
        raise HTTPException(404, Message("server.no_such_document", number=str(index)))
    return index


DocumentIndex = Annotated[int, Depends(get_document_index)]
LeaseId = Annotated[
    str, Path(min_length=1, max_length=MAX_LEASE_ID, description="Id of the lease.")
]
