"""Limits how often somebody can try to log in: per user name and per network address."""

from __future__ import annotations

from threading import Lock
from time import monotonic

from satc.errors import SatcError

_MAX_PER_NAME = 5
_MAX_PER_ADDRESS = 20  # several people may share an address
_WINDOW_SECONDS = 60.0
_MAX_KEYS = 10_000  # an attacker can invent names: memory must stay bounded


class TooManyAttemptsError(SatcError):
    """There were too many failed logins for this name or from this address."""


class LoginLimiter:
    """Counts login attempts in a moving window of one minute.

    An attempt counts from its start, not from its failure: otherwise many attempts in parallel
    would all pass. A successful login removes its own attempt again.
    """

    def __init__(self) -> None:
        self._times: dict[str, list[float]] = {}
        self._lock = Lock()

    def start(self, name: str, address: str) -> None:
        """Count an attempt.

        Raises
        ------
        TooManyAttemptsError
            If there were too many in the last minute; this one is then not counted.
        """
        limits = {_name_key(name): _MAX_PER_NAME, _address_key(address): _MAX_PER_ADDRESS}
        with self._lock:
            if len(self._times) > _MAX_KEYS:
                self._times.clear()
            now = monotonic()
            recent = {key: self._recent(key, now) for key in limits}
            if any(len(recent[key]) >= limit for key, limit in limits.items()):
                raise TooManyAttemptsError(
                    f"too many wrong passwords: try again in {_WINDOW_SECONDS:.0f} seconds"
                )
            for key, times in recent.items():
                self._times[key] = [*times, now]

    def succeed(self, name: str, address: str) -> None:
        """Forget all attempts for the name, and the last one from the address."""
        with self._lock:
            self._times.pop(_name_key(name), None)
            if times := self._times.get(_address_key(address)):
                times.pop()

    def _recent(self, key: str, now: float) -> list[float]:
        return [time for time in self._times.get(key, ()) if now - time < _WINDOW_SECONDS]


def _name_key(name: str) -> str:
    return f"name/{name}"


def _address_key(address: str) -> str:
    return f"address/{address}"
