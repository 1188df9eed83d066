"""The content security policy of a printed page: its own style, and nothing else.

Reports and certificates are single files with their style inside. The policy of all other pages
forbids that, so these pages get one that allows exactly the style elements which they have.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from fastapi.responses import HTMLResponse

_STYLE = re.compile(r"<style[^>]*>(.*?)</style>", re.DOTALL)


def printed_page(page: str) -> HTMLResponse:
    """Answer with a self-contained page."""
    return HTMLResponse(page, headers={"Content-Security-Policy": printed_policy(page)})


def printed_policy(page: str) -> str:
    """Return the policy that allows the style elements of a page by their hashes.

    >>> printed_policy("<style>p{}</style>").split(";")[1]
    " style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='"
    """
    hashes = dict.fromkeys(_hash(style) for style in _STYLE.findall(page))
    styles = " ".join(f"'sha256-{value}'" for value in hashes) or "'none'"
    return (
        f"default-src 'none'; style-src {styles}; img-src data:; form-action 'none'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


def _hash(style: str) -> str:
    """Return the hash of the content of a style element."""
    return b64encode(sha256(style.encode()).digest()).decode()
