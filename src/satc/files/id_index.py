"""An index of ids that takes 24 bytes for each, whatever their length.

The latest ids are kept in a dictionary. The older ones are kept as digests of 16 bytes, sorted,
with their line numbers; a dictionary of all would take about 170 bytes for each id.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

LATEST = 1 << 17  # ids that the dictionary holds at most


class IdIndex:
    """Ids with the numbers of their lines.

    >>> index = IdIndex()
    >>> index.add("a", 2)
    >>> index.line("a"), index.line("b"), len(index)
    (2, None, 1)
    """

    def __init__(self) -> None:
        self._latest: dict[str, int] = {}
        self._digests = np.empty((0, 2), dtype=np.uint64)  # sorted by the first half
        self._lines = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._latest) + len(self._lines)

    def line(self, identity: str) -> int | None:
        """Return the line of an id, or None if the id was not added."""
        if identity in self._latest:
            return self._latest[identity]
        if not len(self._lines):
            return None
        first, second = _digest(identity)
        position = int(np.searchsorted(self._digests[:, 0], first))
        while position < len(self._lines) and self._digests[position, 0] == first:
            if self._digests[position, 1] == second:
                return int(self._lines[position])
            position += 1
        return None

    def add(self, identity: str, line: int) -> None:
        """Add an id that is not in the index yet."""
        self._latest[identity] = line
        if len(self._latest) >= LATEST:
            self._compress()

    def _compress(self) -> None:
        """Replace the dictionary of the latest ids by digests."""
        digests = np.array([_digest(identity) for identity in self._latest])
        lines = np.fromiter(self._latest.values(), dtype=np.int64)
        digests = np.concatenate([self._digests, digests])
        order = np.argsort(digests[:, 0], kind="stable")  # fast where both parts are sorted
        self._digests = digests[order]
        self._lines = np.concatenate([self._lines, lines])[order]
        self._latest = {}


def _digest(identity: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    hashed = blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return np.frombuffer(hashed, dtype=np.uint64)
