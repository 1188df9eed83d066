"""What every call passes: who is asking, whether they may, and which project is meant.

These are asynchronous only so that no thread is woken up for each of them: they are quick.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request
from fastapi.concurrency import run_in_threadpool

from satc.errors import DataError
from satc.workbench.review.open_projects import Desks, OpenProject
from satc.workbench.web.authentication import Access, Identity

_SAFE = ("GET", "HEAD", "OPTIONS")


async def access_of(request: Request) -> Access:
    """Return the door."""
    access: Access = request.app.state.access
    return access


async def desks_of(request: Request) -> Desks:
    """Return the projects."""
    desks: Desks = request.app.state.desks
    return desks


async def identify(request: Request, access: Annotated[Access, Depends(access_of)]) -> Identity:
    """Return who is asking, by token or by cookie; a cookie alone changes nothing."""
    authorization = request.headers.get("authorization", "")
    cookie = request.cookies.get(access.cookie, "")
    identity = access.identified(authorization, cookie)
    if identity is None:
        by_token = authorization.lower().startswith("bearer ")
        detail = "this token is not known" if by_token else "log in first, or send a token"
        raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
    sent = request.headers.get("x-csrf-token", "")
    unsafe = identity.by_cookie and request.method not in _SAFE
    if unsafe and not access.is_csrf_token(sent, cookie):
        raise HTTPException(403, "the header X-CSRF-Token must hold the page's token")
    return identity


Who = Annotated[Identity, Depends(identify)]


async def manage(who: Who) -> Identity:
    """Let managers pass."""
    if not who.is_manager:
        raise HTTPException(403, "only managers may do this")
    return who


Manager = Annotated[Identity, Depends(manage)]


async def project_of(
    who: Who,
    desks: Annotated[Desks, Depends(desks_of)],
    name: Annotated[str, Path(min_length=1, max_length=100, description="The project.")],
) -> OpenProject:
    """Return the project that is meant."""
    if (opened := desks.opened(name)) is not None:
        return opened
    try:
        return await run_in_threadpool(desks.open, name)
    except DataError as error:
        if name in desks.names():
            raise
        raise HTTPException(404, f"there is no project {name!r}") from error


InProject = Annotated[OpenProject, Depends(project_of)]


async def index_of(
    project: InProject,
    index: Annotated[int, Path(ge=0, lt=2**31, description="The document's number.")],
) -> int:
    """Return the number of a document that there is."""
    if index >= project.desk.project.n_documents:
        raise HTTPException(404, f"there is no document {index}")
    return index


Index = Annotated[int, Depends(index_of)]
