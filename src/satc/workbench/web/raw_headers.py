"""Headers of a request as the server has received them: bytes, with names in lower case.

Starlette's `Headers` decode and compare each header when one is looked up. Every request passes
several parts of the program that look up one header each, so these use the raw ones.
"""

from __future__ import annotations

from starlette.types import Scope


def raw_header(scope: Scope, name: bytes) -> str:
    """Return the first header of this name; "" if there is none.

    >>> raw_header({"headers": [(b"host", b"localhost:8000")]}, b"host")
    'localhost:8000'
    """
    for known, value in scope["headers"]:
        if known == name:
            return str(value, "latin-1")
    return ""
