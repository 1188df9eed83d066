"""The embedder: vectors from the cache where it has them, else from the encoder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from satc.embeddings.cache import VectorCache, default_folder, text_keys
from satc.embeddings.encoder import Encoded, Encoder
from satc.embeddings.models.finding import DEFAULT_MODEL, find_model
from satc.embeddings.models.weights import Array

PathLike = str | os.PathLike[str]


@dataclass
class Counts:
    """What an embedder has done: texts, how many of them were cached, long or without words."""

    n_texts: int = 0
    n_cached: int = 0
    n_cut: int = 0
    n_empty: int = 0

    def add(self, encoded: Encoded, n_cached: int) -> None:
        """Count a block of texts."""
        self.n_texts += len(encoded.vectors)
        self.n_cached += n_cached
        self.n_cut += int(np.sum(encoded.n_passages > 1))
        self.n_empty += int(np.sum(encoded.n_passages == 0))


class Embedder:
    """Gives the vectors of texts, block by block.

    Parameters
    ----------
    model
        The name or the folder of a sentence-transformers model.
    cache
        True keeps vectors in the user's cache, a path in that folder; False keeps none.
    n_threads
        How many processors to use; None for all that this process may use.

    Attributes
    ----------
    folder : ModelFolder
        The model; its `fingerprint` identifies its files.
    counts : Counts
        How many texts were embedded, came from the cache, were cut, or have no words.
    """

    def __init__(
        self,
        model: PathLike = DEFAULT_MODEL,
        *,
        cache: bool | PathLike = True,
        n_threads: int | None = None,
    ) -> None:
        self.folder = find_model(model)
        self.counts = Counts()
        self._n_threads = n_threads
        self._encoder: Encoder | None = None
        self._cache = self._open_cache(cache)

    @property
    def encoder(self) -> Encoder:
        """The encoder, which is opened when a vector must be computed."""
        if self._encoder is None:
            self._encoder = Encoder(self.folder, n_threads=self._n_threads)
        return self._encoder

    @property
    def n_dimensions(self) -> int:
        """How many numbers a vector has."""
        cached = self._cache.n_dimensions if self._cache else None
        return cached if cached is not None else self.encoder.n_dimensions

    def embed(self, texts: Sequence[str]) -> Array:
        """Return the vectors of some texts, and count them."""
        encoded, n_cached = self._encoded(texts)
        self.counts.add(encoded, n_cached)
        return encoded.vectors

    def known(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each text whether its vector is in the cache."""
        if self._cache is None:
            return np.zeros(len(texts), dtype=np.bool_)
        return self._cache.has(text_keys(texts))

    def _encoded(self, texts: Sequence[str]) -> tuple[Encoded, int]:
        """Return the vectors, and how many of them were cached."""
        if self._cache is None:
            return self.encoder.encode(texts), 0
        keys = text_keys(texts)
        known, found = self._cache.find(keys)
        if known.all():
            return found, len(texts)
        rows = np.flatnonzero(~known)
        _, first, copy = np.unique(keys[rows], return_index=True, return_inverse=True)
        new = self.encoder.encode([texts[i] for i in rows[first]])  # equal texts once
        self._cache.add(keys[rows[first]], new)
        vectors = np.zeros((len(texts), new.vectors.shape[1]), dtype=np.float32)
        if known.any():
            vectors[known] = found.vectors[known]
        vectors[rows] = new.vectors[copy]
        found.n_passages[rows] = new.n_passages[copy]
        return Encoded(vectors, found.n_passages), int(known.sum())

    def _open_cache(self, cache: bool | PathLike) -> VectorCache | None:
        if cache is False:
            return None
        base = default_folder() if cache is True else Path(cache).expanduser()
        return VectorCache(base / self.folder.fingerprint)
