"""User accounts: names, roles, passwords, and tokens for programs.

The store keeps argon2 hashes of passwords and SHA-256 digests of tokens, never the originals.
"""

from __future__ import annotations

import re
from hashlib import sha256
from secrets import token_urlsafe

from satc.inputs import choice
from satc.workbench.store import Store, users
from satc.workbench.web.passwords import hash_password

ROLES = {
    "annotator": "checks documents",
    "manager": "also changes the decisions of others, and exports",
}
_NAME = re.compile(r"[\w@.+-]{1,100}")


def add_user(store: Store, name: str, role: str, password: str) -> None:
    """Create a user.

    Raises
    ------
    ValueError
        If the name has characters that are not allowed, the role is unknown, or the password is
        too short.
    DataError
        If there is a user of this name.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"name must be up to 100 letters, digits, or any of _ @ . + -, but is {name!r}"
        )
    choice(role, ROLES, "role")
    users.add_user(store, name, role, hash_password(password))


def new_token(store: Store, name: str) -> str:
    """Create a token for programs that act as this user; it cannot be shown again.

    Raises
    ------
    DataError
        If there is no such user; the message lists the users.
    """
    if users.find_user(store, name) is None:
        users.change_user(store, name, role="annotator")  # raises the error with the names
    token = f"satc_{token_urlsafe(32)}"
    users.add_token(store, name, token_digest(token))
    return token


def token_digest(token: str) -> str:
    """Return the digest under which the store knows a token."""
    return sha256(token.encode()).hexdigest()
