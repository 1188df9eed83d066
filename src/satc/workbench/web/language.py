"""The language of a request: chosen on the page (a cookie), or accepted by the browser."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from satc.workbench.messages import Messages, choose_language

COOKIE = "satc_language"  # also in static/shared/language.js


def messages_for(request: HTTPConnection) -> Messages:
    """Return the messages in the language of a request."""
    accepted = request.headers.get("accept-language", "")
    return Messages(choose_language(request.cookies.get(COOKIE, ""), accepted))
