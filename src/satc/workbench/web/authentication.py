"""Who may come in: one person by a secret link, or a team by passwords and tokens.

Without users, the only way in is a link that is printed at start-up, and the server listens on the
machine itself alone. With users, people log in; their session is a signed cookie that ends with
their password. Programs come with a token. Passwords are kept as argon2 hashes, tokens as
digests.
"""

from __future__ import annotations

import getpass
import hmac
import re
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from threading import BoundedSemaphore, Lock
from time import monotonic

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from itsdangerous import BadSignature, URLSafeTimedSerializer

from satc.errors import SatcError
from satc.inputs import choice
from satc.workbench.store import Store
from satc.workbench.store import users as stored

ROLES = {"annotator": "checks documents", "manager": "also changes others' work, and exports"}
SESSION_SECONDS = 7 * 24 * 3600
LEAST_PASSWORD = 8
_NAME = re.compile(r"[\w@.+-]{1,100}")
_FAILURES = 5  # wrong passwords for one name before it must wait; four times that for an address
_WAIT_SECONDS = 60.0
_REMEMBERED_SECONDS = 5.0  # that a token is good for without asking the database again

_hasher = PasswordHasher()
_NOBODY = _hasher.hash(token_urlsafe(16))  # so that unknown names take as long as known ones


class TooManyAttemptsError(SatcError):
    """Somebody guesses passwords."""


@dataclass(frozen=True)
class Identity:
    """Who somebody is, and whether they came by a cookie, which a browser sends by itself."""

    name: str
    role: str
    by_cookie: bool = False

    @property
    def is_manager(self) -> bool:
        """Whether they may change others' work."""
        return self.role == "manager"


def add_user(store: Store, name: str, role: str, password: str) -> None:
    """Let a person in."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"name must be up to 100 letters, digits, or any of _ @ . + -, but is {name!r}"
        )
    choice(role, ROLES, "role")
    stored.add_user(store, name, role, hashed(password))


def hashed(password: str) -> str:
    """Return the hash of a password that is long enough."""
    if len(password) < LEAST_PASSWORD:
        raise ValueError(f"a password must have at least {LEAST_PASSWORD} characters")
    return _hasher.hash(password)


def new_token(store: Store, name: str) -> str:
    """Return a token with which programs come in as this person; it is shown only once."""
    if stored.find_user(store, name) is None:
        stored.change_user(store, name, role="annotator")  # names those that there are
    token = f"satc_{token_urlsafe(32)}"
    stored.add_token(store, name, _digest(token))
    return token


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


class Access:
    """The door of one server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._key = stored.secret(store, "sessions", token_urlsafe(48))
        self._link = token_urlsafe(32)  # another one at every start
        self._sessions = URLSafeTimedSerializer(self._key, salt="session")
        self.single_user = not stored.list_users(store)
        self.attempts = Attempts()
        self._hashing = BoundedSemaphore(2)  # hashes are dear by design
        self._tokens: dict[str, tuple[float, Identity]] = {}
        # Servers on one machine share cookies, whatever their ports.
        self.cookie = f"satc_session_{_digest(self._key)[:8]}"

    @property
    def link_key(self) -> str:
        """The secret of the link; only for a server without users."""
        return self._link

    def by_link(self, key: str) -> str | None:
        """Return a session for whoever has the secret link."""
        if not self.single_user or not hmac.compare_digest(key.encode(), self._link.encode()):
            return None
        return self._session(_owner(), self._link)

    def by_password(self, name: str, password: str, address: str) -> str | None:
        """Return a session for the right password.

        Raises
        ------
        TooManyAttemptsError
            After a few wrong ones, for a while.
        """
        self.attempts.begin(name, address)
        user = stored.find_user(self._store, name)
        try:
            with self._hashing:
                _hasher.verify(_NOBODY if user is None else user.password, password)
        except (Argon2Error, InvalidHashError):
            return None
        if user is None:
            return None
        self.attempts.succeeded(name, address)
        return self._session(user.name, user.password)

    def by_cookie(self, cookie: str) -> Identity | None:
        """Return who has this session."""
        try:
            content = self._sessions.loads(cookie, max_age=SESSION_SECONDS)
            name, seal = str(content["name"]), str(content["seal"])
        except (BadSignature, KeyError, TypeError):
            return None
        if self.single_user:
            return Identity(name, "manager", True) if seal == _seal(self._link) else None
        user = stored.find_user(self._store, name)
        if user is None or seal != _seal(user.password):
            return None
        return Identity(user.name, user.role, by_cookie=True)

    def by_token(self, token: str) -> Identity | None:
        """Return on whose behalf a program comes."""
        if self.single_user:
            known = hmac.compare_digest(token.encode(), self._link.encode())
            return Identity(_owner(), "manager") if known else None
        digest = _digest(token)
        remembered = self._tokens.get(digest)
        if remembered is not None and monotonic() - remembered[0] < _REMEMBERED_SECONDS:
            return remembered[1]
        user = stored.token_user(self._store, digest)
        if user is None:
            return None
        identity = Identity(user.name, user.role)
        self._remember(digest, identity)
        return identity

    def identified(self, authorization: str, cookie: str) -> Identity | None:
        """Return who somebody is by the header, if it names a token, and else by the cookie."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer":
            return self.by_token(token.strip())
        return self.by_cookie(cookie) if cookie else None

    def _remember(self, digest: str, identity: Identity) -> None:
        if len(self._tokens) > 1_000:
            self._tokens.clear()
        self._tokens[digest] = monotonic(), identity

    def csrf_token(self, cookie: str) -> str:
        """Return what a page must send along: other sites cannot read it."""
        return hmac.new(self._key.encode(), f"csrf/{cookie}".encode(), sha256).hexdigest()

    def is_csrf_token(self, token: str, cookie: str) -> bool:
        """Whether a page of ours has sent this."""
        return hmac.compare_digest(token.encode(), self.csrf_token(cookie).encode())

    def _session(self, name: str, secret: str) -> str:
        return str(self._sessions.dumps({"name": name, "seal": _seal(secret)}))


def _seal(secret: str) -> str:
    """Return a trace of a password's hash: a new password ends the old sessions."""
    return sha256(f"seal/{secret}".encode()).hexdigest()[:16]


def _owner() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # an account without a name
        return "owner"


class Attempts:
    """Counts attempts to log in, by name and by address, and forgets them after a while.

    An attempt counts from its beginning, so that many at once do not slip through; a right password
    takes its own back.
    """

    def __init__(self) -> None:
        self._at: dict[str, list[float]] = {}
        self._lock = Lock()

    def begin(self, name: str, address: str) -> None:
        """Count an attempt; raise if there were too many lately."""
        limits = {f"name/{name}": _FAILURES, f"at/{address}": 4 * _FAILURES}
        with self._lock:
            if len(self._at) > 10_000:  # somebody makes names up
                self._at.clear()
            present = monotonic()
            recent = {
                key: [t for t in self._at.get(key, ()) if present - t < _WAIT_SECONDS]
                for key in limits
            }
            if any(len(recent[key]) >= most for key, most in limits.items()):
                raise TooManyAttemptsError(
                    f"too many wrong passwords: try again in {_WAIT_SECONDS:.0f} seconds"
                )
            for key, times in recent.items():
                self._at[key] = [*times, present]

    def succeeded(self, name: str, address: str) -> None:
        """Forget the wrong ones for this name, and take this one back from the address."""
        with self._lock:
            self._at.pop(f"name/{name}", None)
            if times := self._at.get(f"at/{address}"):
                times.pop()
