"""OpenID Connect: the authorization code flow with PKCE, by Authlib.

Authlib makes state, nonce and code verifier, and checks the signature of the ID token by the keys
of the provider, and its claims. Beyond that we insist on the issuer and the audience that were
configured, and on signatures by asymmetric keys, whatever the provider says that it supports.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuth
from joserfc.errors import JoseError
from starlette.requests import Request

from satc.workbench.messages import Message
from satc.workbench.web.access.company.people import ProviderError, RefusedError
from satc.workbench.web.access.company.settings import OpenIdLogin

_DISCOVERY = "/.well-known/openid-configuration"
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
_ALGORITHMS += ["EdDSA", "Ed25519"]
_OFFERED = "id_token_signing_alg_values_supported"
_LEEWAY_SECONDS = 60  # clocks differ
_TIMEOUT_SECONDS = 10.0


class CompanyPerson(NamedTuple):
    """A person who has logged in at the provider; `subject` is their account there."""

    name: str
    groups: tuple[str, ...]
    subject: str


class OpenIdClient:
    """A client of a provider."""

    def __init__(self, login: OpenIdLogin) -> None:
        self._login = login
        self._app: Any = OAuth().register(
            "provider",
            client_id=login.client_id,
            client_secret=login.client_secret,
            server_metadata_url=login.issuer.rstrip("/") + _DISCOVERY,
            client_kwargs={
                "scope": login.scope,
                "code_challenge_method": "S256",
                "timeout": _TIMEOUT_SECONDS,
                "verify": httpx2.create_ssl_context(),  # once: it reads all certificates
            },
        )

    async def begin(self, request: Request, redirect_uri: str) -> tuple[str, dict[str, Any]]:
        """Return the address of the provider's login, and what `finish` needs to know.

        Raises
        ------
        ProviderError
            If the provider cannot be used.
        """
        request.scope["session"] = {}  # here Authlib keeps state, nonce and code verifier
        with _translated():
            await self._load_metadata()
            response = await self._app.authorize_redirect(request, redirect_uri)
        return response.headers["location"], dict(request.session)

    async def finish(self, request: Request, saved: dict[str, Any]) -> CompanyPerson:
        """Return the person whom the provider has logged in; `saved` comes from `begin`.

        Raises
        ------
        RefusedError
            If the answer is not the one that was asked for, or the ID token is not valid.
        ProviderError
            If the provider cannot be used.
        """
        request.scope["session"] = dict(saved)
        with _translated():
            metadata = await self._load_metadata()
            token = await self._app.authorize_access_token(
                request, claims_options=self._expected(), leeway=_LEEWAY_SECONDS
            )
            claims = token.get("userinfo")
            if claims is None:
                raise RefusedError(Message("server.company_login_failed", reason="no id_token"))
            if _find(claims, self._login.name_claim) is None and "userinfo_endpoint" in metadata:
                claims = {**await self._more_claims(token, claims), **claims}
        return self._person(claims)

    def _expected(self) -> dict[str, Any]:
        return {
            "iss": {"essential": True, "value": self._login.issuer},
            "aud": {"essential": True, "value": self._login.client_id},
        }

    async def _load_metadata(self) -> dict[str, Any]:
        """Return what the provider says of itself, with the algorithms that we accept."""
        metadata: dict[str, Any] = await self._app.load_server_metadata()
        if metadata.get("issuer") != self._login.issuer:
            issuer = str(metadata.get("issuer"))[:200]
            self._app.server_metadata.clear()
            raise ProviderError(
                Message("server.other_issuer", issuer=issuer, wanted=self._login.issuer)
            )
        offered = metadata.get(_OFFERED) or ()
        metadata[_OFFERED] = [name for name in offered if name in _ALGORITHMS] or _ALGORITHMS[:1]
        return metadata

    async def _more_claims(self, token: dict[str, Any], claims: dict[str, Any]) -> dict[str, Any]:
        """Return the claims that the provider tells on request only."""
        found: dict[str, Any] = await self._app.userinfo(token=token)
        return found if found.get("sub") == claims["sub"] else {}

    def _person(self, claims: dict[str, Any]) -> CompanyPerson:
        name = _find(claims, self._login.name_claim)
        if not isinstance(name, str) or not name:
            raise RefusedError(Message("server.no_name_claim", claim=self._login.name_claim))
        groups = _find(claims, self._login.role_claim) or ()
        listed = groups.split(",") if isinstance(groups, str) else groups
        names = tuple(str(one).strip() for one in listed) if isinstance(listed, list) else ()
        return CompanyPerson(name, names, f"{self._login.issuer} {claims['sub']}")


def _find(claims: dict[str, Any], name: str) -> Any:
    """Return a claim; ``realm_access.roles`` is the claim ``roles`` in ``realm_access``.

    >>> _find({"realm_access": {"roles": ["lead"]}}, "realm_access.roles")
    ['lead']
    >>> _find({"https://example.org/groups": ["lead"]}, "https://example.org/groups")
    ['lead']
    """
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


@contextmanager
def _translated() -> Iterator[None]:
    """Translate errors of the libraries; what a stranger can write is not repeated."""
    try:
        yield
    except JoseError as error:
        reason = f"{error.error}: {getattr(error, 'claim', None) or type(error).__name__}"
        raise RefusedError(Message("server.company_login_failed", reason=reason)) from error
    except AuthlibBaseError as error:
        reason = type(error).__name__
        raise RefusedError(Message("server.company_login_failed", reason=reason)) from error
    except (httpx2.HTTPError, RuntimeError, ValueError, KeyError, TypeError) as error:
        reason = type(error).__name__
        raise ProviderError(Message("server.provider_unusable", reason=reason)) from error
