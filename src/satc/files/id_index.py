"""Which ids have come already, and where: some bytes for each, however long they are and many.

The latest ones are kept as they are. The others are known by a digest of 16 bytes, in sorted
arrays: 24 bytes an id with the number of its line, where a dictionary takes some 170.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

LATEST = 1 << 17  # ids that are kept as they are


class Seen:
    """Ids with the numbers of their lines.

    >>> seen = Seen()
    >>> seen.add("a", 2)
    >>> seen.line("a"), seen.line("b"), len(seen)
    (2, None, 1)
    """

    def __init__(self) -> None:
        self._latest: dict[str, int] = {}
        self._digests = np.empty((0, 2), dtype=np.uint64)  # by the first half
        self._lines = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._latest) + len(self._lines)

    def line(self, identity: str) -> int | None:
        """Return the line in which an id has come; None where it has not."""
        if identity in self._latest:
            return self._latest[identity]
        if not len(self._lines):
            return None
        first, second = _digest(identity)
        place = int(np.searchsorted(self._digests[:, 0], first))
        while place < len(self._lines) and self._digests[place, 0] == first:
            if self._digests[place, 1] == second:
                return int(self._lines[place])
            place += 1
        return None

    def add(self, identity: str, line: int) -> None:
        """Learn of an id that has not come before."""
        self._latest[identity] = line
        if len(self._latest) >= LATEST:
            self._put_away()

    def _put_away(self) -> None:
        """Bring the latest ids among the others."""
        digests = np.array([_digest(identity) for identity in self._latest])
        lines = np.fromiter(self._latest.values(), dtype=np.int64)
        digests = np.concatenate([self._digests, digests])
        order = np.argsort(digests[:, 0], kind="stable")  # quick where both parts are sorted
        self._digests = digests[order]
        self._lines = np.concatenate([self._lines, lines])[order]
        self._latest = {}


def _digest(identity: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    hashed = blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return np.frombuffer(hashed, dtype=np.uint64)
