"""The address of a webhook, as a manager writes it: checked, and divided into its parts."""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import NamedTuple
from urllib.parse import urlsplit

from satc.errors import DataError
from satc.workbench.messages import Message

MAX_LENGTH = 2000
_PORTS = {"http": 80, "https": 443}
_WRITTEN = re.compile(r"[!-\[\]-~]+")  # printable ASCII without spaces and backslashes
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?")


class Address(NamedTuple):
    """The parts of an address; `authority` is the value of the header `Host`."""

    scheme: str
    host: str
    port: int
    authority: str
    target: str  # path and query


def parse_address(url: str) -> Address:
    """Return the parts of an address.

    >>> parse_address("https://example.org:8443/hook?key=1")[1:]
    ('example.org', 8443, 'example.org:8443', '/hook?key=1')

    Raises
    ------
    DataError
        If the address is not one of http or https, or has a user name or a fragment.
    """
    parsed = _parsed(url)
    if parsed is None:
        raise DataError(Message("webhooks.wrong_address", url=url[:100]))
    return parsed


def _parsed(url: str) -> Address | None:
    """Return the parts of an address; None if it cannot be used."""
    if len(url) > MAX_LENGTH or not _WRITTEN.fullmatch(url) or "#" in url:
        return None
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname or "", parts.port
    except ValueError:  # the port is no number, or a bracket is missing
        return None
    if scheme not in _PORTS or "@" in parts.netloc or port == 0 or not _is_host(host):
        return None
    shown = f"[{host}]" if ":" in host else host
    authority = shown if port in (None, _PORTS[scheme]) else f"{shown}:{port}"
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(scheme, host, port or _PORTS[scheme], authority, target)


def _is_host(host: str) -> bool:
    """Whether this is the name of a host or an IP address."""
    if ":" not in host:
        return _HOST.fullmatch(host) is not None
    try:
        return IPv6Address(host).scope_id is None
    except ValueError:
        return False
