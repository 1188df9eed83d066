"""A file to which lines are appended, and which another program may move away."""

from __future__ import annotations

import os
from pathlib import Path

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class AppendedFile:
    """Appends to a file that only its owner can read.

    A file that was moved or deleted is created anew, as tools that rotate logs expect.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = self._open()

    def write(self, text: str) -> None:
        """Append a text at once."""
        if self._has_moved():
            os.close(self._descriptor)
            self._descriptor = self._open()
        os.write(self._descriptor, text.encode())

    def flush(self) -> None:
        """Do nothing: nothing is kept back."""

    def _open(self) -> int:
        return os.open(self._path, _FLAGS, 0o600)

    def _has_moved(self) -> bool:
        try:
            return not os.path.samestat(os.stat(self._path), os.fstat(self._descriptor))
        except FileNotFoundError:
            return True
