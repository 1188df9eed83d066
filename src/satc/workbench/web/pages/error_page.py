"""Errors as pages: a browser that asks for a page gets a sentence and a way on, not JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request, Response

from satc.workbench.messages import Message
from satc.workbench.store import StoreError
from satc.workbench.web.access.authentication import Authenticator, Identity
from satc.workbench.web.access.company.people import RefusedError
from satc.workbench.web.access.identification import identify_request
from satc.workbench.web.addresses import address
from satc.workbench.web.language import messages_for
from satc.workbench.web.local_paths import is_local_path
from satc.workbench.web.rendering import render, render_page

_TITLES = (401, 403, 404, 409, 413, 422, 429, 500, 503)


def wants_page(request: Request) -> bool:
    """Say whether a person looks at the answer: browsers accept HTML when they open an address.

    Scripts of a page and programs ask for JSON, or for anything.
    """
    return "text/html" in request.headers.get("accept", "")


def error_page(request: Request, code: int, said: str) -> Response:
    """Render the page of an error; `said` is its sentence, or the name of the status."""
    say = messages_for(request)
    title = code if code in _TITLES else 422 if code < 500 else 500
    values: dict[str, Any] = {
        "title_code": title,
        "sentence": _sentence(said) or say(_general(title)),
        "back": _back(request),
    }
    authenticator: Authenticator = request.app.state.authenticator
    user = _user(request)
    if user is None:
        return render(request, "error.html", code, **values)
    page = render_page(request, authenticator, user, "error.html", **values)
    page.status_code = code
    return page


def _general(code: int) -> Message:
    """Return the sentence for an error that has none of its own."""
    if code == 404:
        return Message("server.no_such_page")
    return Message("server.unexpected_error") if code >= 500 else Message("server.cannot_be_done")


def _sentence(said: str) -> str:
    """Begin a sentence with a capital letter, and end it with a full stop.

    >>> _sentence("only managers may do this"), _sentence("Not Found")
    ('Only managers may do this.', '')
    """
    if said in {status.phrase for status in HTTPStatus}:
        return ""
    whole = said[:1].upper() + said[1:]
    return whole if not whole or whole.endswith((".", "!", "?", "。")) else f"{whole}."


def _user(request: Request) -> Identity | None:
    try:
        return identify_request(request)
    except (StoreError, RefusedError):  # which may be the error that the page tells
        return None


def _back(request: Request) -> str | None:
    """Return the page that the person comes from, if it is one of this server."""
    found = urlsplit(request.headers.get("referer", ""))
    path = f"{found.path}?{found.query}" if found.query else found.path
    is_here = found.netloc == request.headers.get("host") and path != request.url.path
    is_ours = path.startswith(address(request, "/"))
    return path if is_here and is_ours and is_local_path(path) else None
