"""Segments: the files of the cache of vectors.

A segment holds the digests of texts, the numbers of their passages, checksums, and the vectors, in
this order. It is written completely or not at all, and never changed.
"""

from __future__ import annotations

import struct
import uuid
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.embeddings.encoder import Encoded
from satc.embeddings.models.weights import Array
from satc.files.atomic import atomic_file

KEY = np.dtype("S16")
ENDING = ".vectors"
Keys = NDArray[np.bytes_]
_HEAD = struct.Struct("<8sIII")  # mark, dimensions, rows, checksum of all but the vectors
_MARK = b"satcvec1"


class Segment(NamedTuple):
    """A segment, whose vectors are read when they are needed."""

    path: Path
    n_dimensions: int
    keys: Keys
    n_passages: NDArray[np.uint32]
    checksums: NDArray[np.uint32]

    def vectors(self, rows: NDArray[np.int64]) -> Array:
        """Return some vectors; raise ValueError if one is damaged."""
        start = _HEAD.size + len(self.keys) * (KEY.itemsize + 8)
        shape = (len(self.keys), self.n_dimensions)
        found = np.array(np.memmap(self.path, np.dtype("<f4"), "r", start, shape)[rows])
        expected = self.checksums[rows]
        if any(zlib.crc32(one) != sum_ for one, sum_ in zip(found, expected, strict=True)):
            raise ValueError(f"{self.path} is damaged")
        return found


def read_segment(path: Path) -> Segment:
    """Read everything but the vectors; raise ValueError if it is damaged."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        head = stream.read(_HEAD.size)
        if len(head) < _HEAD.size:
            raise ValueError(f"{path} is too short")
        mark, n_dimensions, n, checksum = _HEAD.unpack(head)
        expected = _HEAD.size + n * (KEY.itemsize + 8 + 4 * n_dimensions)
        if mark != _MARK or size != expected or not n or not n_dimensions:
            raise ValueError(f"{path} is not a segment")
        body = stream.read(n * (KEY.itemsize + 8))
    if zlib.crc32(body) != checksum:
        raise ValueError(f"{path} is damaged")
    numbers = np.frombuffer(body, "<u4", offset=n * KEY.itemsize)
    return Segment(path, n_dimensions, np.frombuffer(body, KEY, n), numbers[:n], numbers[n:])


def write_segment(folder: Path, keys: Keys, encoded: Encoded) -> Segment:
    """Write vectors to a new segment of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{uuid.uuid4().hex}{ENDING}"
    vectors = np.ascontiguousarray(encoded.vectors, dtype="<f4")
    n_passages = encoded.n_passages.astype("<u4")
    checksums = np.array([zlib.crc32(row) for row in vectors], dtype="<u4")
    body = keys.tobytes() + n_passages.tobytes() + checksums.tobytes()
    with atomic_file(path) as temporary, temporary.open("wb") as stream:
        stream.write(_HEAD.pack(_MARK, vectors.shape[1], len(keys), zlib.crc32(body)))
        stream.write(body)
        stream.write(vectors.data)
    return Segment(path, vectors.shape[1], keys, n_passages, checksums)
