"""Password hashing with argon2."""

from __future__ import annotations

from functools import cache
from secrets import token_urlsafe

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

MIN_LENGTH = 8

_hasher = PasswordHasher()
_NO_PASSWORD = "no password "  # noqa: S105 (it is none)


def hash_password(password: str) -> str:
    """Return the argon2 hash of a password.

    Raises
    ------
    ValueError
        If the password is too short.
    """
    if len(password) < MIN_LENGTH:
        raise ValueError(f"a password must have at least {MIN_LENGTH} characters")
    return _hasher.hash(password)


def no_password() -> str:
    """Return what is stored for a user without a password; a new one ends their sessions."""
    return f"{_NO_PASSWORD}{token_urlsafe(16)}"


def has_password(hashed: str) -> bool:
    """Whether a password can fit what is stored for a user.

    >>> has_password(no_password()), has_password(hash_password("correct horse"))
    (False, True)
    """
    return not hashed.startswith(_NO_PASSWORD)


def is_password(password: str, hashed: str | None) -> bool:
    """Whether a password has this hash; without a hash the answer is no.

    Without a hash (an unknown user, or one without a password) a dummy hash is checked, so that
    the answer takes as long as for a known user and does not reveal which names exist.
    """
    known = hashed is not None and has_password(hashed)
    dummy = _dummy_hash()  # made at the first check, for a known user as well
    try:
        _hasher.verify(hashed if known and hashed is not None else dummy, password)
    except (Argon2Error, InvalidHashError):
        return False
    return known


@cache
def _dummy_hash() -> str:
    """Return a hash of no known password, as expensive to check as any other."""
    return _hasher.hash(token_urlsafe(16))
