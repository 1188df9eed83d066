"""The cache of vectors: each is kept with a digest of its text, and the text itself is not.

Each model has a folder, and each block of vectors becomes a file of it, a segment. Segments appear
complete and never change. So an interrupted run continues where it stopped, and several processes
can use a folder at once. A damaged segment is removed, and its vectors are computed anew.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from satc.datasets.home import user_cache
from satc.embeddings.encoder import Encoded
from satc.embeddings.segments import ENDING, KEY, Keys, Segment, read_segment, write_segment
from satc.errors import SatcWarning

MOST_RECENT = 100_000  # new vectors after which all digests are sorted again
_ROW_BITS = 32


class VectorCache:
    """The cached vectors of one model, in a folder that is made when the first are added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._segments: list[Segment] = []
        self._dropped: set[int] = set()
        self._recent: dict[bytes, int] = {}
        self._warned: set[str] = set()
        for path in sorted(folder.glob(f"*{ENDING}")):
            self._open(path)
        self._sort()

    @property
    def n_dimensions(self) -> int | None:
        """How many numbers a vector has; None if the cache is empty."""
        return self._segments[0].n_dimensions if self._segments else None

    def has(self, keys: Keys) -> NDArray[np.bool_]:
        """Return for each digest whether its vector is cached."""
        return self._places(keys) >= 0

    def find(self, keys: Keys) -> tuple[NDArray[np.bool_], Encoded]:
        """Return which digests are cached, and their vectors; those of the others are zeros."""
        places = self._places(keys)
        known = np.zeros(len(keys), dtype=np.bool_)
        vectors = np.zeros((len(keys), self.n_dimensions or 0), dtype=np.float32)
        n_passages = np.zeros(len(keys), dtype=np.int64)
        for home in np.unique(places[places >= 0] >> _ROW_BITS):
            which = np.flatnonzero((places >= 0) & (places >> _ROW_BITS == home))
            rows = places[which] & (2**_ROW_BITS - 1)
            segment = self._segments[home]
            try:
                vectors[which] = segment.vectors(rows)
            except (OSError, ValueError):
                self._drop(int(home))
                continue
            n_passages[which] = segment.n_passages[rows]
            known[which] = True
        return known, Encoded(vectors, n_passages)

    def add(self, keys: Keys, encoded: Encoded) -> None:
        """Keep vectors; if the disk refuses them, warn and go on."""
        try:
            segment = write_segment(self.folder, keys, encoded)
        except OSError as error:
            self._warn(f"vectors cannot be kept in {self.folder}: {error.strerror or error}")
            return
        base = len(self._segments) << _ROW_BITS
        self._segments.append(segment)
        self._recent.update((key, base + row) for row, key in enumerate(keys.tolist()))
        if len(self._recent) > MOST_RECENT:
            self._sort()

    def _open(self, path: Path) -> None:
        try:
            segment = read_segment(path)
            if self.n_dimensions not in (None, segment.n_dimensions):
                raise ValueError(f"{path} is of another model")
            self._segments.append(segment)
        except FileNotFoundError:  # removed by another process
            return
        except (OSError, ValueError):
            self._remove(path)

    def _drop(self, number: int) -> None:
        self._dropped.add(number)
        self._remove(self._segments[number].path)

    def _remove(self, path: Path) -> None:
        self._warn(f"the cache of vectors {path.parent} is damaged: a part is computed anew")
        try:
            path.unlink(missing_ok=True)
        except OSError:
            return  # it stays, and is refused again next time

    def _sort(self) -> None:
        """Sort all digests, each with its segment and row in one number."""
        keys = [one.keys for one in self._segments]
        places = [(i << _ROW_BITS) + np.arange(len(one)) for i, one in enumerate(keys)]
        found = np.concatenate([np.empty(0, KEY), *keys])
        order = np.argsort(found, kind="stable")
        self._keys = found[order]
        self._rows = np.concatenate([np.empty(0, np.int64), *places])[order]
        self._recent = {}

    def _places(self, keys: Keys) -> NDArray[np.int64]:
        """Return the places of digests; -1 for one that is not cached."""
        recent = [self._recent.get(key, -1) for key in keys.tolist()]
        places = np.array(recent, dtype=np.int64)
        if len(self._keys):
            last = np.searchsorted(self._keys, keys, side="right") - 1
            sorted_ = np.where(self._keys[last] == keys, self._rows[last], -1)
            places = np.where(places < 0, sorted_, places)
        lost = np.isin(places >> _ROW_BITS, list(self._dropped))
        return np.where(lost, -1, places)

    def _warn(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            warnings.warn(message, SatcWarning, stacklevel=2)


def text_keys(texts: Sequence[str]) -> Keys:
    """Return the digests of texts."""
    digests = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16) for text in texts)
    return np.frombuffer(b"".join(one.digest() for one in digests), KEY)


def default_folder() -> Path:
    """Return the folder of all cached vectors; ``SATC_EMBEDDINGS`` names another one."""
    given = os.environ.get("SATC_EMBEDDINGS")
    return Path(given).expanduser() if given else user_cache() / "embeddings"
