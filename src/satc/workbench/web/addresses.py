"""The addresses of this server, which may be served below a path of another site.

A request knows this path as `root_path`: the option `--root-path`, or what a trusted proxy says.
Pages, redirects, cookies and links of the API get their addresses here; scripts use
`static/shared/addresses.js`. All addresses begin with a slash. Addresses relative to a page would
depend on how proxy and browser read an encoded slash, and a crafted link could make a page load the
scripts of another program on the same host.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import Scope


def root_path(scope: Scope) -> str:
    """Return the path below which the server is served, without a slash at the end.

    >>> root_path({"root_path": "/tools/satc"}), root_path({"root_path": ""})
    ('/tools/satc', '')
    """
    # A mount, such as that of the static files, changes `root_path`, and keeps the former one.
    found: str = scope.get("app_root_path", scope.get("root_path", ""))
    return found.rstrip("/")


def own_path(scope: Scope) -> str:
    """Return the path of a request without the path below which the server is served.

    >>> own_path({"path": "/tools/satc/p/claims", "root_path": "/tools/satc"})
    '/p/claims'
    """
    path: str = scope["path"]
    root = root_path(scope)
    return path[len(root) :] if path == root or path.startswith(f"{root}/") else path


def address(request: HTTPConnection, path: str) -> str:
    """Return the address of a path of this server, as a browser needs it.

    `path` begins with a slash and is encoded.
    """
    return root_path(request.scope) + path


def redirect(request: HTTPConnection, path: str) -> RedirectResponse:
    """Send a person to a path of this server."""
    return RedirectResponse(address(request, path), 303)


def cookie_path(request: HTTPConnection) -> str:
    """Return the path of cookies: browsers send them to this server, not to its neighbours."""
    return address(request, "/")
