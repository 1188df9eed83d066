"""The secret of a webhook, and the signature by which the receiver knows who has sent a message.

The scheme is that of Standard Webhooks: HMAC-SHA256 over the id of the message, the time of sending
and the body, joined by dots. The time is signed, so a receiver can refuse an old message that
somebody sends again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

_PREFIX = "whsec_"
ID_HEADER = "Satc-Webhook-Id"
TIME_HEADER = "Satc-Webhook-Timestamp"
SIGNATURE_HEADER = "Satc-Signature"


def new_secret() -> str:
    """Return a random secret: 32 bytes in Base64, after a prefix."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def signed_headers(secret: str, message: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers of a message: its id, the time in seconds since 1970, the signature."""
    return {
        ID_HEADER: message,
        TIME_HEADER: str(seconds),
        SIGNATURE_HEADER: sign(secret, message, seconds, body),
    }


def sign(secret: str, message: str, seconds: int, body: bytes) -> str:
    """Return the signature of a message.

    >>> sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
    ...      b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    signed = f"{message}.{seconds}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
