"""User accounts: names, roles, passwords, and tokens for programs.

The store keeps argon2 hashes of passwords and SHA-256 digests of tokens, never the originals.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from secrets import token_urlsafe

from satc.inputs import choice
from satc.workbench.store import Store
from satc.workbench.store.people import users
from satc.workbench.store.people.names import check_name
from satc.workbench.web.access.passwords import hash_password, no_password

ROLES = {
    "annotator": "checks documents",
    "manager": "also changes the decisions of others, and exports",
}
TOKEN_PREFIX = "satc_"  # noqa: S105 (it is none)


def add_user(
    store: Store,
    name: str,
    role: str,
    password: str | None,
    *,
    projects: Mapping[str, str] | None = None,
) -> None:
    """Create a user; without a password, they come by the company's login.

    `projects` are their roles in projects; None means the only project of the store.

    Raises
    ------
    ValueError
        If the name has characters that are not allowed, a role is unknown, or the password is
        too short.
    DataError
        If there is a user of this name or of one that looks like it, or no such project.
    """
    check_name(name)
    for one in (role, *(projects or {}).values()):
        choice(one, ROLES, "role")
    hashed = no_password() if password is None else hash_password(password)
    users.add_user(store, name, role, hashed, projects=projects)


def new_token(store: Store, name: str) -> str:
    """Create a token for programs that act as this user; it cannot be shown again.

    Raises
    ------
    DataError
        If there is no such user; the message lists the users.
    """
    if users.find_user(store, name) is None:
        users.change_user(store, name, role="annotator")  # raises the error with the names
    token = f"{TOKEN_PREFIX}{token_urlsafe(32)}"
    users.add_token(store, name, token_digest(token))
    return token


def token_digest(token: str) -> str:
    """Return the digest under which the store knows a token."""
    return sha256(token.encode()).hexdigest()
