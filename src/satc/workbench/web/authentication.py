"""Authentication: one person by a secret link, or a team by passwords and tokens.

A server without users prints a secret link at the start, accepts nothing else, and listens on this
machine only. With users, people log in with a password and get a session, which is a signed cookie
that becomes invalid when the password changes. Programs send a token.
"""

from __future__ import annotations

import getpass
import hmac
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from time import monotonic

from itsdangerous import BadSignature, URLSafeTimedSerializer

from satc.workbench.store import Store, users
from satc.workbench.web.accounts import token_digest
from satc.workbench.web.login_limiter import LoginLimiter
from satc.workbench.web.passwords import is_password

SESSION_SECONDS = 7 * 24 * 3600
_TOKEN_CACHE_SECONDS = 5.0  # for so long a token is accepted without asking the database again
_TOKEN_CACHE_SIZE = 1_000


@dataclass(frozen=True)
class Identity:
    """An authenticated user; `by_cookie` says that the browser sent the proof by itself."""

    name: str
    role: str
    by_cookie: bool = False

    @property
    def is_manager(self) -> bool:
        """Whether this user may change the decisions of others and export."""
        return self.role == "manager"


class Authenticator:
    """Logs people in and identifies the sender of each request, for one server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._key = users.secret(store, "sessions", token_urlsafe(48))
        self._link_key = token_urlsafe(32)  # a new one at every start
        self._sessions = URLSafeTimedSerializer(self._key, salt="session")
        self._token_cache: dict[str, tuple[float, Identity]] = {}
        self.single_user = not users.list_users(store)
        self.limiter = LoginLimiter()
        # Browsers send cookies to all ports of a machine: each store has its own cookie.
        self.cookie_name = f"satc_session_{token_digest(self._key)[:8]}"

    @property
    def link_key(self) -> str:
        """The key in the secret link; only a server without users accepts it."""
        return self._link_key

    def log_in_by_link(self, key: str) -> str | None:
        """Return a new session if the key is the one of the secret link."""
        if not self.single_user or not _equal(key, self._link_key):
            return None
        return self._new_session(_owner(), self._link_key)

    def log_in(self, name: str, password: str, address: str) -> str | None:
        """Return a new session if the password is right.

        Raises
        ------
        TooManyAttemptsError
            After several wrong passwords, for a minute.
        """
        self.limiter.start(name, address)
        user = users.find_user(self._store, name)
        right = is_password(password, None if user is None else user.password)
        if user is None or not right:
            return None
        self.limiter.succeed(name, address)
        return self._new_session(user.name, user.password)

    def identify(self, authorization: str, cookie: str) -> Identity | None:
        """Return the user of a request, by the token in its header, or else by its cookie."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer":
            return self.identify_by_token(token.strip())
        return self.identify_by_cookie(cookie) if cookie else None

    def identify_by_cookie(self, cookie: str) -> Identity | None:
        """Return the user of a session; None if it is forged, too old or no longer valid."""
        try:
            content = self._sessions.loads(cookie, max_age=SESSION_SECONDS)
            name, seal = str(content["name"]), str(content["seal"])
        except (BadSignature, KeyError, TypeError):
            return None
        if self.single_user:
            valid = seal == _seal(self._link_key)
            return Identity(name, "manager", by_cookie=True) if valid else None
        user = users.find_user(self._store, name)
        if user is None or seal != _seal(user.password):
            return None
        return Identity(user.name, user.role, by_cookie=True)

    def identify_by_token(self, token: str) -> Identity | None:
        """Return the user whose token this is."""
        if self.single_user:
            return Identity(_owner(), "manager") if _equal(token, self._link_key) else None
        digest = token_digest(token)
        cached = self._token_cache.get(digest)
        if cached is not None and monotonic() - cached[0] < _TOKEN_CACHE_SECONDS:
            return cached[1]
        user = users.token_user(self._store, digest)
        if user is None:
            return None
        return self._cache_token(digest, Identity(user.name, user.role))

    def csrf_token(self, cookie: str) -> str:
        """Return the token that a page must send with each change; other sites cannot read it."""
        return hmac.new(self._key.encode(), f"csrf/{cookie}".encode(), sha256).hexdigest()

    def is_csrf_token(self, token: str, cookie: str) -> bool:
        """Whether the token belongs to this session."""
        return _equal(token, self.csrf_token(cookie))

    def _cache_token(self, digest: str, identity: Identity) -> Identity:
        if len(self._token_cache) > _TOKEN_CACHE_SIZE:
            self._token_cache.clear()
        self._token_cache[digest] = monotonic(), identity
        return identity

    def _new_session(self, name: str, secret: str) -> str:
        return str(self._sessions.dumps({"name": name, "seal": _seal(secret)}))


def _equal(given: str, wanted: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(given.encode(), wanted.encode())


def _seal(secret: str) -> str:
    """Return a digest of a password hash; it is in the session, so a new password ends it."""
    return sha256(f"seal/{secret}".encode()).hexdigest()[:16]


def _owner() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # an account of the system without a name
        return "owner"
