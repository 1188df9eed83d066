"""The page of an invitation: an invited person sets a password, and is logged in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse

from satc.errors import DataError
from satc.workbench.messages import Message
from satc.workbench.store.people.invitations import Invitation
from satc.workbench.web.access import invitations
from satc.workbench.web.access.accounts import token_digest
from satc.workbench.web.access.authentication import Authenticator
from satc.workbench.web.access.hashing_pool import LoginBusyError
from satc.workbench.web.access.login_limiter import TooManyAttemptsError
from satc.workbench.web.access.passwords import MIN_LENGTH, hash_password
from satc.workbench.web.api.dependencies import CurrentAuthenticator, CurrentOpenProjects
from satc.workbench.web.login import check_origin, check_passwords, client_address, start_session
from satc.workbench.web.rendering import render

router = APIRouter()
Key = Annotated[str, Query(max_length=200)]


@router.get(invitations.PATH)
def invitation_page(
    request: Request,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
    key: Key = "",
) -> HTMLResponse:
    """Ask an invited person for a password; say it if the link is used or expired."""
    try:
        found = _find(request, authenticator, open_projects, key)
    except TooManyAttemptsError:
        return _too_many(request)
    return _page(request, found, key)


@router.post(invitations.PATH)
async def accept(
    request: Request,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
    key: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1000)] = "",
    repeated: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """Set the password and log in; forms of other sites are refused."""
    check_origin(request)
    store = open_projects.store
    try:
        found = await run_in_threadpool(_find, request, authenticator, open_projects, key)
    except TooManyAttemptsError:
        return _too_many(request)
    if found is None or found.state != "open":
        return _page(request, found, key)
    if len(password) < MIN_LENGTH:
        return _page(request, found, key, Message("manage.password_too_short", n=MIN_LENGTH))
    if password != repeated:
        return _page(request, found, key, Message("manage.passwords_differ"))
    try:
        hashed = await authenticator.hashing.run(hash_password, password)
        accepted = await run_in_threadpool(invitations.accept_hashed, store, key, hashed)
    except DataError as error:
        return _page(request, found, key, error.args[0])
    except LoginBusyError:
        return _page(request, found, key, Message("server.login_busy"), 503)
    session = None
    if accepted is not None:
        session = await run_in_threadpool(authenticator.session_of, accepted.name)
    if session is None:
        return _page(request, await run_in_threadpool(invitations.find, store, key), key)
    return start_session(request, authenticator, session)


def _find(
    request: Request, authenticator: Authenticator, open_projects: CurrentOpenProjects, key: str
) -> Invitation | None:
    """Return the invitation of a key; guessing keys is limited as guessing passwords is."""
    if authenticator.single_user:
        raise HTTPException(404, Message("manage.server_without_users"))
    check_passwords(authenticator)
    name, address = f"invitation/{token_digest(key)}", client_address(request)
    authenticator.limiter.start(name, address)
    found = invitations.find(open_projects.store, key)
    if found is not None and found.state == "open":
        authenticator.limiter.succeed(name, address)
    return found


def _page(
    request: Request,
    found: Invitation | None,
    key: str,
    problem: object = None,
    problem_status: int = 400,
) -> HTMLResponse:
    state = "unknown" if found is None else found.state
    status = problem_status if problem is not None else 200 if state == "open" else 410
    return render(
        request,
        "join.html",
        status,
        state=state,
        invitation=found,
        key=key,
        min_length=MIN_LENGTH,
        problem=problem,
    )


def _too_many(request: Request) -> HTMLResponse:
    response = render(request, "join.html", 429, state="limited", invitation=None, problem=None)
    response.headers["Retry-After"] = "60"
    return response
