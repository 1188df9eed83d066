"""The path of a request as the log shows it: without anything that could be a secret.

Of a route, the log has the values that name a project, a document, a class or a user, and a star
in the place of all others (ids of leases, tokens of files). Of an address that no route answers, it
has the parts that are short words: a link that was copied with an error can hold a secret.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from satc.workbench.web.observing.requests import ObservedRequest

HIDDEN = "*"
_SHOWN = ("name", "index", "label", "person")
_VALUE = re.compile(r"\{(\w+)(?::\w+)?\}")
_WORD = re.compile(r"[A-Za-z0-9._-]{0,24}")
_MOST_PARTS = 8


def logged_path(request: ObservedRequest) -> str:
    """Return the path of a request for the log."""
    if request.route is None or "{" not in request.route:
        return masked(request.path)
    values = request.scope.get("path_params", {})
    return _VALUE.sub(lambda found: _shown(found[1], values), request.route)


def masked(path: str) -> str:
    """Return a path with a star in the place of each part that is not a short word.

    >>> masked("/static/shared/api.js"), masked("/enter?key=secret"), masked("/" + "k" * 43)
    ('/static/shared/api.js', '/*', '/*')
    """
    parts = path.split("/")
    shown = (part if _WORD.fullmatch(part) else HIDDEN for part in parts[:_MOST_PARTS])
    return "/".join(shown) + (f"/{HIDDEN}" if len(parts) > _MOST_PARTS else "")


def _shown(name: str, values: dict[str, object]) -> str:
    return quote(str(values.get(name, HIDDEN)), safe="") if name in _SHOWN else HIDDEN
