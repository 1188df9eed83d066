"""The pages for logging in and out: the secret link, the login form, the logout button."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from satc.workbench.web.api.dependencies import CurrentAuthenticator
from satc.workbench.web.authentication import SESSION_SECONDS, Authenticator
from satc.workbench.web.login_limiter import TooManyAttemptsError
from satc.workbench.web.rendering import render_login

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
        raise HTTPException(403, "this link is not valid; 'satc serve' prints the valid one")
    return _start_session(request, authenticator, session)


@router.get("/login")
def login_page(authenticator: CurrentAuthenticator) -> HTMLResponse:
    """Show the login form."""
    return render_login(authenticator)


@router.post("/login")
def login(
    request: Request,
    authenticator: CurrentAuthenticator,
    name: Annotated[str, Form(max_length=100)] = "",
    password: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """Log in by a password; forms of other sites are refused."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"{request.url.scheme}://{request.headers.get('host')}":
        raise HTTPException(403, "the login form must come from this server")
    address = request.client.host if request.client else ""
    try:
        session = authenticator.log_in(name, password, address)
    except TooManyAttemptsError as error:
        response = render_login(authenticator, str(error).capitalize() + ".", 429)
        response.headers["Retry-After"] = "60"
        return response
    if session is None:
        return render_login(authenticator, "The name or the password is wrong.", 401)
    return _start_session(request, authenticator, session)


@router.post("/logout")
def logout(
    request: Request,
    authenticator: CurrentAuthenticator,
    csrf_token: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Log out; forms of other sites are refused."""
    cookie = request.cookies.get(authenticator.cookie_name, "")
    if not authenticator.is_csrf_token(csrf_token, cookie):
        raise HTTPException(403, "the logout form must come from this server")
    response = redirect_to_login()
    response.delete_cookie(authenticator.cookie_name)
    return response


def redirect_to_login() -> Response:
    """Redirect to the login form."""
    return RedirectResponse("/login", 303)


def _start_session(request: Request, authenticator: Authenticator, session: str) -> Response:
    response = RedirectResponse("/", 303)
    response.set_cookie(
        authenticator.cookie_name,
        session,
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response
