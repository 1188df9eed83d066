"""The keys by which Label Studio proves that it may use a project.

Label Studio registers its webhook at the address of the model, without any header. Therefore the
key is a part of this address; it may also be sent as a password or as a token. Each project has a
key of its own, which follows from a secret of the store and stays the same until the secret is
replaced.
"""

from __future__ import annotations

import hmac
from base64 import b64decode
from hashlib import sha256
from secrets import token_urlsafe
from urllib.parse import quote

from satc.workbench.store import Store
from satc.workbench.store.people.users import replace_secret, secret

PREFIX = "/label-studio"
_SECRET = "label-studio"  # noqa: S105 (the name of a secret, not a secret)


class LabelStudioKeys:
    """The keys of all projects of a store."""

    def __init__(self, store: Store, *, renewed: bool = False) -> None:
        fresh = token_urlsafe(32)
        if renewed:
            replace_secret(store, _SECRET, fresh)
        self._secret = secret(store, _SECRET, fresh).encode()

    def key(self, project: str) -> str:
        """Return the key of a project."""
        return hmac.new(self._secret, f"project/{project}".encode(), sha256).hexdigest()

    def path(self, project: str) -> str:
        """Return the path of the model, with its key."""
        return f"{PREFIX}/{quote(project, safe='')}/{self.key(project)}"

    def is_key(self, project: str, given: str) -> bool:
        """Whether this is the key of the project."""
        return hmac.compare_digest(given.encode(), self.key(project).encode())

    def admits(self, project: str, key: str | None, authorization: str) -> bool:
        """Whether a request may use a project: by the key in its path, or by its header."""
        given = key if key is not None else _sent_key(authorization)
        return given is not None and self.is_key(project, given)


def _sent_key(authorization: str) -> str | None:
    """Return the key of a header: a token, or the password of any user name.

    >>> _sent_key("Bearer abc"), _sent_key("Basic c2F0YzphYmM="), _sent_key("Basic ?")
    ('abc', 'abc', None)
    """
    scheme, _, sent = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return sent.strip()
    if scheme.lower() != "basic":
        return None
    try:
        return b64decode(sent.strip(), validate=True).decode().partition(":")[2]
    except ValueError:
        return None
