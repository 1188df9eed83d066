"""The links between the pages of a project."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote


class PageLink(NamedTuple):
    """A page of a project: the key of its name, the end of its address, and who may see it."""

    name: str
    path: str
    managers_only: bool = False


# In the order of the top bar. The first is the workbench.
NAVIGATION = (
    PageLink("common.check", ""),
    PageLink("documents.title", "/documents"),
    PageLink("disagreements.title", "/disagreements"),
    PageLink("manage.link", "/manage", managers_only=True),
)


def links_of(project: str, path: str, *, is_manager: bool) -> list[dict[str, Any]]:
    """Return the links of a project for a page at a path, as the template shows them.

    The path is one of this server, decoded as a request has it: a space is not "%20".
    """
    base = f"/p/{quote(project, safe='')}"
    return [
        {
            "name": link.name,
            "path": base + link.path,
            "is_current": path == f"/p/{project}{link.path}",
        }
        for link in NAVIGATION
        if is_manager or not link.managers_only
    ]
