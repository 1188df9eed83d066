"""Password hashing with argon2."""

from __future__ import annotations

from secrets import token_urlsafe
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

MIN_LENGTH = 8

_hasher = PasswordHasher()
_hashing = BoundedSemaphore(2)  # argon2 needs much memory and time on purpose
_DUMMY_HASH = _hasher.hash(token_urlsafe(16))  # checked for unknown users, see is_password


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


def is_password(password: str, hashed: str | None) -> bool:
    """Whether a password has this hash; without a hash the answer is no.

    Without a hash (an unknown user) a dummy hash is checked, so that the answer takes as long as
    for a known user and does not reveal which names exist.
    """
    try:
        with _hashing:
            _hasher.verify(_DUMMY_HASH if hashed is None else hashed, password)
    except (Argon2Error, InvalidHashError):
        return False
    return hashed is not None
