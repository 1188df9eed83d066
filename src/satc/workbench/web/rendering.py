"""Renders the HTML templates, in the language of the reader."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader

from satc import __version__
from satc.workbench.messages import Message, Messages
from satc.workbench.messages.languages import LANGUAGES
from satc.workbench.web.access.authentication import Authenticator, Identity
from satc.workbench.web.addresses import address
from satc.workbench.web.language import messages_for

_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True
)


def render_page(
    request: Request,
    authenticator: Authenticator,
    user: Identity,
    template: str,
    areas: Sequence[str] = ("common",),
    **values: Any,
) -> HTMLResponse:
    """Render a page for a user who is logged in; `areas` are those whose texts its scripts use."""
    shown = {"name": user.name, "role": user.role, "single_user": authenticator.single_user}
    token = authenticator.csrf_token(user.session)
    return render(request, template, areas=areas, user=shown, csrf_token=token, **values)


def render_login(
    request: Request,
    authenticator: Authenticator,
    message: Message | None = None,
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    """Render the login form, and the button of the company's login.

    A server without users asks for the secret link instead.

    `values` are the name that was typed, and the page that the person wanted to see.
    """
    openid = authenticator.login.openid
    shown = {
        "message": message,
        "single_user": authenticator.single_user,
        "passwords": authenticator.login.passwords,
        "provider": None if openid is None else openid.label,
        "name": "",
        "wanted": "/",
        **values,
    }
    return render(request, "login.html", status, **shown)


def render(
    request: Request,
    template: str,
    status: int = 200,
    areas: Sequence[str] = ("common",),
    **values: Any,
) -> HTMLResponse:
    """Render a template; `user` and `csrf_token` are missing where nobody is logged in."""
    say = messages_for(request)
    known = {"user": None, "csrf_token": "", "version": __version__, **_language(say), **values}
    known["url"] = partial(address, request)
    page = _templates.get_template(template).render(texts=say.texts(areas), **known)
    return HTMLResponse(page, status, headers={"Vary": "Accept-Language, Cookie"})


def _language(say: Messages) -> dict[str, Any]:
    return {
        "t": say,
        "language": say.language,
        "direction": say.direction,
        "languages": LANGUAGES,
    }
