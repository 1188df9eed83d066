"""Addresses of databases, as people give them, and as messages may show them.

A message shows the user, host, port and name of a database. It never shows the password, also
if the address is wrong: a part of a password that is not encoded would be taken for a host.
"""

from __future__ import annotations

import re

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

EXAMPLE = "postgresql://user:password@host:5432/database"
_SCHEMES = ("postgresql", "postgres")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_WITH_PASSWORD = re.compile(r"//.*:.*@")
_DRIVER = "postgresql+psycopg"


def is_address(location: str) -> bool:
    """Whether a location is the address of a database, right or wrong, and not a file.

    >>> [is_address(one) for one in ("postgresql://localhost/satc", "survey.satc", "postgres/x")]
    [True, False, False]
    """
    has_password = _WITH_PASSWORD.search(location) is not None
    return "://" in location or has_password or _scheme(location) in _SCHEMES


def parse_address(address: str) -> URL:
    """Return the address of a PostgreSQL database in parts.

    Raises
    ------
    ValueError
        If the address cannot be used; the message does not show it.
    """
    if _scheme(address) not in _SCHEMES:
        raise ValueError(_OTHER_SCHEME)
    rest = address.partition("?")[0].partition(":")[2].removeprefix("//")
    if rest.count("@") > 1 or "@" in rest.partition("/")[2]:
        raise ValueError(_NOT_ENCODED)
    try:
        return make_url(address).set(drivername=_DRIVER)
    except (ArgumentError, ValueError):  # their messages show parts of the address
        raise ValueError(_NOT_READABLE) from None


def shown_address(address: URL) -> str:
    """Return an address for messages: without password and options.

    >>> shown_address(parse_address("postgresql://ann:secret@db:5433/satc?password=secret"))
    'postgresql://ann@db:5433/satc'
    """
    parts = address.username, None, address.host, address.port, address.database
    return URL.create("postgresql", *parts).render_as_string()


def _scheme(location: str) -> str:
    found = _SCHEME.match(location)
    return "" if found is None else found[1].lower()


_HIDDEN = "; the address is not shown because it can hold a password"
_OTHER_SCHEME = f"the address of the database must begin as in {EXAMPLE}, but does not{_HIDDEN}"
_NOT_ENCODED = (
    "the address of the database has more than one '@', or an '@' behind a '/': write special "
    f"characters of the password as %40 for @, %2F for /, %3A for :{_HIDDEN}"
)
_NOT_READABLE = (
    f"the address of the database must be written as {EXAMPLE}, with a number as port, and special "
    f"characters of the password as %40 for @, %2F for /, %3A for :{_HIDDEN}"
)
