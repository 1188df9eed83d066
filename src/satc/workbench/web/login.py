"""The pages for logging in and out: the secret link, the login form, the logout button."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse

from satc.workbench.messages import Message
from satc.workbench.web.access.authentication import SESSION_SECONDS, Authenticator
from satc.workbench.web.access.hashing_pool import RETRY_SECONDS, LoginBusyError
from satc.workbench.web.access.identification import identify_request
from satc.workbench.web.access.login_limiter import TooManyAttemptsError
from satc.workbench.web.addresses import cookie_path, own_path, redirect
from satc.workbench.web.api.dependencies import CurrentAuthenticator
from satc.workbench.web.local_paths import LONGEST, page_to_open
from satc.workbench.web.rendering import render, render_login

router = APIRouter(include_in_schema=False)


@router.get("/enter")
def enter(
    request: Request,
    authenticator: CurrentAuthenticator,
    key: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Log in by the secret link."""
    session = authenticator.log_in_by_link(key)
    if session is None:
        raise HTTPException(403, Message("server.link_not_valid"))
    return start_session(request, authenticator, session)


@router.get("/login")
def login_page(
    request: Request,
    authenticator: CurrentAuthenticator,
    wanted: Annotated[str, Query(alias="next", max_length=LONGEST)] = "/",
) -> HTMLResponse:
    """Show the login form; `next` is the page that the person wanted to see."""
    return render_login(request, authenticator, wanted=page_to_open(wanted))


@router.post("/login")
async def login(
    request: Request,
    authenticator: CurrentAuthenticator,
    name: Annotated[str, Form(max_length=100)] = "",
    password: Annotated[str, Form(max_length=1000)] = "",
    wanted: Annotated[str, Form(alias="next", max_length=LONGEST)] = "/",
) -> Response:
    """Log in by a password, and go to the page that was asked for.

    Forms of other sites are refused. The limiter is asked before a thread hashes the password.
    """
    check_origin(request)
    check_passwords(authenticator)
    address = client_address(request)
    kept = {"name": name, "wanted": page_to_open(wanted)}
    try:
        authenticator.limiter.start(name, address)
        session = await authenticator.hashing.run(
            authenticator.check_password, name, password, address
        )
    except TooManyAttemptsError:
        said = Message("server.too_many_passwords")
        return _later(render_login(request, authenticator, said, 429, **kept), 60)
    except LoginBusyError:
        said = Message("server.login_busy")
        return _later(render_login(request, authenticator, said, 503, **kept), RETRY_SECONDS)
    if session is None:
        return render_login(request, authenticator, Message("server.wrong_password"), 401, **kept)
    return start_session(request, authenticator, session, kept["wanted"])


@router.post("/logout")
def logout(
    request: Request,
    authenticator: CurrentAuthenticator,
    csrf_token: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Log out; forms of other sites are refused.

    Whoever came by a proxy is still logged in there: only the proxy can end that.
    """
    identity = identify_request(request)
    cookie = request.cookies.get(authenticator.cookie_name, "")
    session = cookie if identity is None else identity.session
    if not authenticator.is_csrf_token(csrf_token, session):
        raise HTTPException(403, Message("server.form_of_another_site"))
    by_header = identity is not None and identity.by_header
    there = authenticator.login.logout_address
    if by_header or there is not None:
        # A page, not a redirect: the policy of our forms allows no other address.
        response: Response = render(request, "logged_out.html", address=there, by_header=by_header)
    else:
        response = redirect(request, "/login")
    response.delete_cookie(authenticator.cookie_name, cookie_path(request))
    return response


def check_passwords(authenticator: Authenticator) -> None:
    """Refuse a form with a password where passwords are switched off."""
    if not authenticator.login.passwords:
        raise HTTPException(403, Message("server.no_passwords"))


def client_address(request: Request) -> str:
    """Return the network address of the client, as trusted proxies report it."""
    return request.client.host if request.client else ""


def _later(response: HTMLResponse, seconds: int) -> HTMLResponse:
    response.headers["Retry-After"] = str(seconds)
    return response


def redirect_to_login(request: Request) -> Response:
    """Redirect to the login form, which leads back to the page that was asked for."""
    query = f"?{request.url.query}" if request.url.query else ""
    asked = quote(own_path(request.scope)) + query
    wanted = page_to_open(asked) if request.method == "GET" else "/"
    after = "" if wanted == "/" else f"?next={quote(wanted, safe='/')}"
    return redirect(request, f"/login{after}")


def check_origin(request: Request) -> None:
    """Refuse the form of another site, which would log its visitors in here."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"{request.url.scheme}://{request.headers.get('host')}":
        raise HTTPException(403, Message("server.form_of_another_site"))


def start_session(
    request: Request, authenticator: Authenticator, session: str, page: str = "/"
) -> Response:
    """Go to a page with the cookie of a new session."""
    response = redirect(request, page)
    set_session(request, authenticator, response, session)
    return response


def set_session(
    request: Request, authenticator: Authenticator, response: Response, session: str
) -> None:
    """Set the cookie of a session, for requests from our own pages only."""
    response.set_cookie(
        authenticator.cookie_name,
        session,
        max_age=SESSION_SECONDS,
        path=cookie_path(request),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
