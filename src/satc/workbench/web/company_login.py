"""The pages of the company's login by OpenID Connect: to the provider, and back from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse
from itsdangerous import BadSignature

from satc.workbench.messages import Message
from satc.workbench.store import Store
from satc.workbench.web.access.authentication import Authenticator
from satc.workbench.web.access.company.people import RefusedError, company_user
from satc.workbench.web.addresses import address, cookie_path
from satc.workbench.web.api.dependencies import CurrentAuthenticator, CurrentOpenProjects
from satc.workbench.web.local_paths import LONGEST, page_to_open
from satc.workbench.web.login import client_address, set_session
from satc.workbench.web.rendering import render

if TYPE_CHECKING:
    from satc.workbench.web.access.company.openid import CompanyPerson, OpenIdClient

router = APIRouter(prefix="/oidc", include_in_schema=False)
_LOGIN_SECONDS = 600  # for so long a login that was begun can be finished


@router.get("/login")
async def begin(
    request: Request,
    authenticator: CurrentAuthenticator,
    wanted: Annotated[str, Query(alias="next", max_length=LONGEST)] = "/",
) -> Response:
    """Go to the provider's login; a cookie remembers what its answer must fit."""
    client = _client(request)
    there, saved = await client.begin(request, str(request.url_for("company_callback")))
    response = RedirectResponse(there, 303)
    response.set_cookie(
        _cookie_name(authenticator),
        authenticator.signer("openid").dumps({"saved": saved, "page": page_to_open(wanted)}),
        max_age=_LOGIN_SECONDS,
        path=cookie_path(request),
        httponly=True,
        samesite="lax",  # the provider, which is another site, sends the person back
        secure=request.url.scheme == "https",
    )
    return response


@router.get("/callback", name="company_callback")
async def finish(
    request: Request,
    authenticator: CurrentAuthenticator,
    open_projects: CurrentOpenProjects,
    state: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Log in the person whom the provider names, and go to the page that they wanted to see.

    The next page is opened by a page of ours, not by a redirect: browsers do not send the cookie of
    a session in a redirect that began at another site.
    """
    client, begun = _client(request), _begun(request, authenticator)
    name, sender = f"company/{state}", client_address(request)
    authenticator.limiter.start(name, sender)
    person = await client.finish(request, begun["saved"])
    session = await run_in_threadpool(_log_in, open_projects.store, authenticator, person)
    authenticator.limiter.succeed(name, sender)
    response = render(request, "logged_in.html", page=address(request, page_to_open(begun["page"])))
    set_session(request, authenticator, response, session)
    response.delete_cookie(_cookie_name(authenticator), cookie_path(request))
    return response


def _log_in(store: Store, authenticator: Authenticator, person: CompanyPerson) -> str:
    roles = authenticator.login.roles
    user = company_user(store, person.name, person.groups, roles, person.subject)
    session = authenticator.session_of(user.name, by_company=True)
    if session is None:
        raise RefusedError(Message("manage.no_such_person", name=user.name))
    return session


def _client(request: Request) -> OpenIdClient:
    client: OpenIdClient | None = request.app.state.openid_client
    if client is None:
        raise HTTPException(404, Message("server.no_such_page"))
    return client


def _begun(request: Request, authenticator: Authenticator) -> dict[str, Any]:
    """Return what the cookie of the begun login holds."""
    cookie = request.cookies.get(_cookie_name(authenticator), "")
    try:
        begun: dict[str, Any] = authenticator.signer("openid").loads(cookie, _LOGIN_SECONDS)
    except BadSignature:
        raise HTTPException(400, Message("server.login_not_begun")) from None
    return begun


def _cookie_name(authenticator: Authenticator) -> str:
    return f"{authenticator.cookie_name}_openid"
