"""The path below which the server is served, such as `/tools/satc`.

A proxy may remove this path before it passes a request on, or not. Both work: a request whose path
begins with it has it still.
"""

from __future__ import annotations

import re

from starlette.types import Scope

_PART = re.compile(r"[A-Za-z0-9._~-]+")
_MAX_LENGTH = 200
# The first parts of the paths of the workbench.
OWN_PATHS = frozenset(
    {"api", "enter", "join", "login", "logout", "new", "p", "people", "projects", "static"}
    | {"healthz", "metrics", "oidc", "readyz"}
)


def is_root_path(path: str) -> bool:
    """Whether a path has the form of a root path; browsers and proxies read it in the same way.

    >>> [is_root_path(path) for path in ("", "/tools/satc", "tools", "//evil.example", "/a/../b")]
    [True, True, False, False, False]
    """
    before, *parts = path.split("/")
    is_plain = all(_PART.fullmatch(part) and part not in (".", "..") for part in parts)
    return not before and is_plain and len(path) <= _MAX_LENGTH


def checked_root_path(path: str) -> str:
    """Return a root path without the slash at its end.

    >>> checked_root_path("/tools/satc/"), checked_root_path("/")
    ('/tools/satc', '')

    Raises
    ------
    ValueError
        If it does not begin with a slash, has other signs than letters, digits and `._~-`, or
        begins like a path of the workbench. If it were `/p`, nobody could tell whether a proxy has
        removed it from `/p/claims`.
    """
    found = path.rstrip("/")
    if not is_root_path(found):
        raise ValueError(
            "--root-path must begin with a slash and hold letters, digits and . _ ~ - only, as "
            f"/tools/satc does, but it is {path!r}"
        )
    if found and found.split("/")[1] in OWN_PATHS:
        raise ValueError(
            f"--root-path must not begin with a path of the workbench, but {path!r} does; "
            f"/satc{found} would work"
        )
    return found


def with_root_path(scope: Scope, path: str) -> Scope:
    """Return the scope of a request below a root path; `path` of the scope then begins with it."""
    found = dict(scope, root_path=path)
    if path and scope["path"] != path and not scope["path"].startswith(f"{path}/"):
        found["path"] = path + scope["path"]
        if scope.get("raw_path"):
            found["raw_path"] = path.encode() + scope["raw_path"]
    return found
