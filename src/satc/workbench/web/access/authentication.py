"""Authentication: one person by a secret link, or a team by passwords, tokens, a company's login.

A server without users prints a secret link at the start, accepts nothing else, and listens on this
machine only. With users, people log in with a password and get a session, which is a signed cookie
that becomes invalid when the password changes. Programs send a token. A trusted proxy says by a
header who sends a request; there is no session then.
"""

from __future__ import annotations

import getpass
import hmac
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from time import monotonic

from itsdangerous import BadSignature, URLSafeTimedSerializer

from satc.workbench.store import Store
from satc.workbench.store.people import users
from satc.workbench.store.people.users import Access
from satc.workbench.web.access.accounts import TOKEN_PREFIX, token_digest
from satc.workbench.web.access.company.header import ProxiedUser
from satc.workbench.web.access.company.people import company_user
from satc.workbench.web.access.company.settings import LoginSettings
from satc.workbench.web.access.hashing_pool import HashingPool
from satc.workbench.web.access.login_limiter import LoginLimiter
from satc.workbench.web.access.passwords import is_password

SESSION_SECONDS = 7 * 24 * 3600
_TOKEN_CACHE_SECONDS = 5.0  # for so long a proof is accepted without asking the database again
_TOKEN_CACHE_SIZE = 1_000
_NO_ROLE = ""
_PASSWORD, _COMPANY = "password", "company"  # ways to log in


@dataclass(frozen=True)
class Identity:
    """An authenticated user.

    Attributes
    ----------
    name
        Name of the user.
    role
        Their role in the project that the request names, or else in the store.
    session
        What the CSRF token belongs to, if the browser sends the proof by itself; otherwise "".
    by_header
        Whether a proxy has logged the user in.
    """

    name: str
    role: str
    session: str = ""
    by_header: bool = False

    @property
    def has_access(self) -> bool:
        """Whether this user may open the project that the request names."""
        return self.role != _NO_ROLE

    @property
    def is_manager(self) -> bool:
        """Whether this user may change the decisions of others and export."""
        return self.role == "manager"


class Authenticator:
    """Logs people in and identifies the sender of each request, for one server."""

    def __init__(self, store: Store, login: LoginSettings | None = None) -> None:
        self._store = store
        self.login = login or LoginSettings()
        self._key = users.secret(store, "sessions", token_urlsafe(48))
        self._link_key = token_urlsafe(32)  # a new one at every start
        self._sessions = URLSafeTimedSerializer(self._key, salt="session")
        self._token_cache: dict[object, tuple[float, Identity]] = {}
        self.single_user = not users.list_users(store) and not self.login.has_company_login
        self.limiter = LoginLimiter()
        self.hashing = HashingPool()
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
        return self.check_password(name, password, address)

    def check_password(self, name: str, password: str, address: str) -> str | None:
        """Return a new session if the password is right; ask the limiter before."""
        user = users.find_user(self._store, name)
        right = is_password(password, None if user is None else user.password)
        if user is None or not right:
            return None
        self.limiter.succeed(name, address)
        return self._new_session(user.name, user.password)

    def session_of(self, name: str, *, by_company: bool = False) -> str | None:
        """Return a new session of a user who has proved who they are; None if there is none."""
        user = users.find_user(self._store, name)
        if self.single_user or user is None:
            return None
        return self._new_session(user.name, user.password, _COMPANY if by_company else _PASSWORD)

    def identify(
        self,
        authorization: str,
        cookie: str,
        project: str | None = None,
        proxied: ProxiedUser | None = None,
    ) -> Identity | None:
        """Return the user of a request: by its token, the word of a proxy, or its cookie.

        `project` is the project that the request names; the role of the user is then that in it.
        """
        scheme, _, token = authorization.partition(" ")
        token = token.strip()
        # Proxies may pass on tokens of their own.
        if scheme.lower() == "bearer" and (not proxied or token.startswith(TOKEN_PREFIX)):
            return self.identify_by_token(token, project)
        if proxied is not None:
            return self.identify_by_proxy(proxied, project)
        return self.identify_by_cookie(cookie, project) if cookie else None

    def identify_by_cookie(self, cookie: str, project: str | None = None) -> Identity | None:
        """Return the user of a session; None if it is forged, too old or no longer valid."""
        try:
            content = self._sessions.loads(cookie, max_age=SESSION_SECONDS)
            name, seal = str(content["name"]), str(content["seal"])
            if not self.single_user and not self._is_open(str(content.get("by", _PASSWORD))):
                return None
        except (BadSignature, KeyError, TypeError, AttributeError):
            return None
        if self.single_user:
            valid = seal == _seal(self._link_key)
            return Identity(name, "manager", cookie) if valid else None
        found = users.find_access(self._store, name, project)
        if found is None or seal != _seal(found.user.password):
            return None
        return _identity(found, cookie)

    def identify_by_token(self, token: str, project: str | None = None) -> Identity | None:
        """Return the user whose token this is."""
        if self.single_user:
            return Identity(_owner(), "manager") if _equal(token, self._link_key) else None
        digest = token_digest(token)
        if (cached := self._cached((digest, project))) is not None:
            return cached
        found = users.token_access(self._store, digest, project)
        return None if found is None else self._cache((digest, project), _identity(found))

    def identify_by_proxy(self, proxied: ProxiedUser, project: str | None = None) -> Identity:
        """Return the user whom a trusted proxy names; they are added on first sight.

        Raises
        ------
        RefusedError
            If this person may not use the workbench.
        """
        if (cached := self._cached((proxied, project))) is not None:
            return cached
        user = company_user(self._store, proxied.name, proxied.groups, self.login.roles)
        found = users.find_access(self._store, user.name, project) or Access(user, None)
        session = f"proxy/{user.name}"
        return self._cache((proxied, project), _identity(found, session, by_header=True))

    def csrf_token(self, session: str) -> str:
        """Return the token that a page must send with each change; other sites cannot read it."""
        return hmac.new(self._key.encode(), f"csrf/{session}".encode(), sha256).hexdigest()

    def is_csrf_token(self, token: str, session: str) -> bool:
        """Whether the token belongs to this session."""
        return _equal(token, self.csrf_token(session))

    def signer(self, purpose: str) -> URLSafeTimedSerializer:
        """Return a serialiser whose texts only this store can make, for one purpose."""
        return URLSafeTimedSerializer(self._key, salt=purpose)

    def _cached(self, proof: object) -> Identity | None:
        """Return the identity for a proof that was checked a few seconds ago."""
        at, identity = self._token_cache.get(proof, (0.0, None))
        return identity if monotonic() - at < _TOKEN_CACHE_SECONDS else None

    def _cache(self, proof: object, identity: Identity) -> Identity:
        if len(self._token_cache) > _TOKEN_CACHE_SIZE:
            self._token_cache.clear()
        self._token_cache[proof] = monotonic(), identity
        return identity

    def _is_open(self, way: str) -> bool:
        """Whether a way to log in is open: a session ends when the way is closed."""
        return self.login.openid is not None if way == _COMPANY else self.login.passwords

    def _new_session(self, name: str, secret: str, way: str = _PASSWORD) -> str:
        return str(self._sessions.dumps({"name": name, "seal": _seal(secret), "by": way}))


def _identity(found: Access, session: str = "", *, by_header: bool = False) -> Identity:
    return Identity(found.user.name, found.role or _NO_ROLE, session, by_header)


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
