"""Requests of one person, sent again until the server has answered."""

from __future__ import annotations

import json
import random
import time
from http.client import HTTPConnection, HTTPException
from threading import Event
from typing import Any, NamedTuple

RETRY_SECONDS = 0.05
TIMEOUT = 20.0


class Answer(NamedTuple):
    """The status and the body of an answer; None where the outcome is not known."""

    status: int | None
    body: Any

    @property
    def is_good(self) -> bool:
        return self.status == 200


LOST = Answer(None, None)


class Wire:
    """A connection that loses some answers: the request has been sent, and nobody reads on."""

    def __init__(self, port: int, name: str, token: str, seed: int, ended: Event) -> None:
        self._port = port
        self._base = f"/api/v1/projects/{name}"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._chance = random.Random(seed)  # noqa: S311
        self._ended = ended
        self._connection: HTTPConnection | None = None
        self.lost = 0

    def repeat(self, method: str, path: str, sent: Any = None) -> Answer:
        """Send a request until it is answered; it must be one that can be repeated."""
        while not self._ended.is_set():
            answer = self.once(method, path, sent)
            if answer.status is not None and answer.status < 500:
                return answer
            time.sleep(RETRY_SECONDS)
        return LOST

    def once(self, method: str, path: str, sent: Any = None) -> Answer:
        """Send a request once."""
        body = b"" if sent is None else json.dumps(sent).encode()
        try:
            if self._connection is None:
                self._connection = HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT)
            self._connection.request(method, self._base + path, body, self._headers)
            if self._chance.random() < 0.01:
                self.lost += 1
                self.close()
                return LOST
            answer = self._connection.getresponse()
            content = answer.read()
        except (OSError, HTTPException):
            self.close()
            return LOST
        return Answer(answer.status, _parsed(content))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content  # an export
