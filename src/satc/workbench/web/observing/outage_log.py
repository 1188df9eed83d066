"""Errors of the database, for the administrator: one line each in the log of the server."""

from __future__ import annotations

import logging
from time import monotonic

_LOGGER = logging.getLogger("satc.server")  # standard error, unless somebody configures it
_REPEAT_SECONDS = 60.0


class OutageLog:
    """Writes what people are not told over HTTP: which database it is, and what it says."""

    def __init__(self) -> None:
        self._last = ""
        self._at = 0.0

    def log(self, text: str) -> None:
        """Write a line, unless the last one said the same less than a minute ago."""
        if text != self._last or monotonic() - self._at > _REPEAT_SECONDS:
            self._last, self._at = text, monotonic()
            _LOGGER.error("satc: %s", " ".join(text.split()))
