"""What a proxy says about a request: `X-Forwarded-For`, `-Proto`, `-Host` and `-Prefix`.

The header `Forwarded` of RFC 7239 is not read. A proxy that sets the headers above passes it on as
it came, so anybody could write it.
"""

from __future__ import annotations

import re

from starlette.datastructures import Headers

from satc.workbench.web.proxy.root_path import is_root_path

_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


def forwarded_for(headers: Headers) -> list[str]:
    """Return the addresses that a request came through, the nearest last."""
    return _values(headers, "x-forwarded-for")


def forwarded_scheme(headers: Headers) -> str | None:
    """Return "http" or "https", or None if the proxy says neither."""
    found = _last(headers, "x-forwarded-proto").lower()
    return found if found in ("http", "https") else None


def forwarded_host(headers: Headers) -> str | None:
    """Return the host that the browser asked for, with its port, or None."""
    found = _last(headers, "x-forwarded-host")
    return found if _HOST.fullmatch(found) else None


def forwarded_prefix(headers: Headers) -> str:
    """Return the path below which the proxy serves us; "" if it names none, or none that works."""
    found = _last(headers, "x-forwarded-prefix").rstrip("/")
    return found if is_root_path(found) else ""


def _last(headers: Headers, name: str) -> str:
    """Return the value that the nearest proxy has written."""
    values = _values(headers, name)
    return values[-1] if values else ""


def _values(headers: Headers, name: str) -> list[str]:
    """Return the values of a list, which may be in several lines."""
    values = ",".join(headers.getlist(name)).split(",")
    return [value.strip() for value in values if value.strip()]
