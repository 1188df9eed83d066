"""A small, real provider of OpenID Connect: discovery, keys, authorization code with PKCE.

It logs everybody in as `person`; with `asks`, after a click on a page of its own. `claims`, `key`
and `algorithm` change the ID tokens that it issues, as a broken or hostile provider would.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from html import escape
from threading import Thread
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT_ID, CLIENT_SECRET = "satc", "a secret of the client"


def _digest(text: str) -> str:
    return _coded(sha256(text.encode()).digest()).decode()


def _coded(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def _unsigned(claims: dict) -> str:
    """Return a token without a signature."""
    parts = ({"alg": "none"}, claims)
    return b".".join([*(_coded(json.dumps(part).encode()) for part in parts), b""]).decode()


def _signed_by_public_key(claims: dict, key: RSAKey) -> str:
    """Return a token whose secret is the public key, which everybody knows."""
    parts = ({"alg": "HS256", "kid": key.kid}, claims)
    signed = b".".join(_coded(json.dumps(part).encode()) for part in parts)
    digest = hmac.new(key.as_pem(private=False), signed, sha256).digest()
    return b".".join([signed, _coded(digest)]).decode()


class Provider:
    """The provider; `requests` counts how often its tokens were asked for."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.own_key = RSAKey.generate_key(2048, {"kid": "first"})
        self.other_key = RSAKey.generate_key(2048, {"kid": "first"})
        self.reset()
        self.app = Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self.configuration),
                Route("/jwks", self.jwks),
                Route("/authorize", self.authorize),
                Route("/token", self.token, methods=["POST"]),
                Route("/userinfo", self.userinfo),
            ]
        )

    def reset(self) -> None:
        """Forget what a test has changed."""
        self.person = {"sub": "0001", "preferred_username": "eve", "groups": ["staff"]}
        self.told_on_request: dict = {}
        self.claims: dict = {}
        self.key, self.algorithm = self.own_key, "RS256"
        self.named_issuer, self.algorithms = self.issuer, ["RS256"]
        self.codes: dict[str, dict] = {}
        self.asks = False
        self.requests = 0

    async def configuration(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.named_issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
                "jwks_uri": f"{self.issuer}/jwks",
                "id_token_signing_alg_values_supported": self.algorithms,
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def jwks(self, request: Request) -> Response:
        return JSONResponse({"keys": [self.own_key.as_dict(private=False)]})

    async def authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        right = asked.get("client_id") == CLIENT_ID and asked.get("response_type") == "code"
        if not right or asked.get("code_challenge_method") != "S256":
            return JSONResponse({"error": "invalid_request"}, 400)
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        back = urlencode({"code": code, "state": asked["state"]})
        address = f"{asked['redirect_uri']}?{back}"
        if self.asks:
            return HTMLResponse(f'<a href="{escape(address)}">Allow</a>')
        return RedirectResponse(address, 302)

    async def token(self, request: Request) -> Response:
        self.requests += 1
        sent = await request.form()
        asked = self.codes.pop(str(sent.get("code")), None)
        if not self._is_client(request) or asked is None:
            return JSONResponse({"error": "invalid_grant"}, 400)
        fits = _digest(str(sent.get("code_verifier"))) == asked["code_challenge"]
        if not fits or sent.get("redirect_uri") != asked["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        return JSONResponse(
            {
                "access_token": secrets.token_urlsafe(16),
                "token_type": "Bearer",
                "expires_in": 300,
                "id_token": self._id_token(asked["nonce"]),
            }
        )

    async def userinfo(self, request: Request) -> Response:
        return JSONResponse({"sub": self.person["sub"], **self.told_on_request})

    def _is_client(self, request: Request) -> bool:
        kind, _, coded = request.headers.get("authorization", "").partition(" ")
        wanted = f"{CLIENT_ID}:{CLIENT_SECRET}".replace(" ", "+")
        given = base64.b64decode(coded).decode().replace("%20", "+") if kind == "Basic" else ""
        return given.replace(" ", "+") == wanted

    def _id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300}
        claims |= {"nonce": nonce, **self.person, **self.claims}
        if self.algorithm == "none":
            return _unsigned(claims)
        if self.algorithm == "HS256":
            return _signed_by_public_key(claims, self.own_key)
        return jwt.encode({"alg": self.algorithm, "kid": self.key.kid}, claims, self.key)


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Run a provider in a thread, on a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    provider = Provider(f"http://localhost:{listener.getsockname()[1]}")
    server = uvicorn.Server(uvicorn.Config(provider.app, log_level="error", lifespan="off"))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.should_exit = server.force_exit = True
        thread.join(10)
        listener.close()
