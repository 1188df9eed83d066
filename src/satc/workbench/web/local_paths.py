"""Addresses that a person may be sent to: paths of this server only."""

from __future__ import annotations

from urllib.parse import urlsplit

LONGEST = 2_000  # characters
_NEVER = ("/login", "/logout", "/enter", "/oidc/")  # no pages to come back to


def is_local_path(path: str) -> bool:
    r"""Say whether a path stays on this server, whatever a browser makes of it.

    >>> [is_local_path(p) for p in ("/p/claims?document=3", "//evil.example", "/\\evil.example")]
    [True, False, False]
    """
    if not path.startswith("/") or path.startswith(("//", "/\\")) or len(path) > LONGEST:
        return False
    if "\\" in path or any(ord(sign) < 33 or ord(sign) == 127 for sign in path):
        return False
    found = urlsplit(path)
    return not found.scheme and not found.netloc


def page_to_open(path: str) -> str:
    """Return the page that a person wanted to see before the login; "/" if it cannot be opened.

    >>> page_to_open("/p/claims"), page_to_open("https://evil.example/"), page_to_open("/logout")
    ('/p/claims', '/', '/')
    """
    return path if is_local_path(path) and not path.startswith(_NEVER) else "/"
