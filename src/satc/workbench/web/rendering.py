"""Renders the HTML templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader

from satc import __version__
from satc.workbench.web.authentication import Authenticator, Identity

_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True
)


def render_page(
    request: Request, authenticator: Authenticator, user: Identity, template: str, **values: Any
) -> HTMLResponse:
    """Render a page for a user who is logged in."""
    shown = {"name": user.name, "role": user.role, "single_user": authenticator.single_user}
    cookie = request.cookies.get(authenticator.cookie_name, "")
    return _render(template, 200, user=shown, csrf_token=authenticator.csrf_token(cookie), **values)


def render_login(
    authenticator: Authenticator, message: str | None = None, status: int = 200
) -> HTMLResponse:
    """Render the login form; a server without users asks for the secret link instead."""
    return _render(
        "login.html",
        status,
        message=message,
        single_user=authenticator.single_user,
        user=None,
        csrf_token="",
    )


def _render(template: str, status: int, **values: Any) -> HTMLResponse:
    page = _templates.get_template(template).render(version=__version__, **values)
    return HTMLResponse(page, status)
