"""The encoder: texts to vectors of length 1, in batches of passages of similar length.

Passages are sorted by length, so that little is computed for padding, and a batch has a bounded
number of tokens, so that memory does not depend on the texts. Each processor works on a batch of
its own. The vector of a text does not depend on the other texts, beyond rounding.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray

from satc.embeddings.models.model_folder import ModelFolder
from satc.embeddings.models.networks import Network, open_network
from satc.embeddings.models.weights import Array
from satc.embeddings.passages import Passage, Tokens
from satc.errors import DataError

BATCH_TOKENS = 512  # as many as stay in the cache of a processor
TOKENISED = 256  # texts that a thread tokenises at once


class Encoded(NamedTuple):
    """Vectors of texts, and how many passages each was cut into; 0 for a text without words."""

    vectors: Array
    n_passages: NDArray[np.int64]


class Encoder:
    """Computes the vectors of texts with the model of a folder.

    Parameters
    ----------
    folder
        The model.
    integers
        Whether to multiply integers; False for the full precision, at half the speed.
    n_threads
        How many processors to use; None for all that this process may use.
    """

    def __init__(
        self, folder: ModelFolder, *, integers: bool = True, n_threads: int | None = None
    ) -> None:
        self.folder = folder
        self.n_threads = n_threads or available_processors()
        self._network = open_network(folder, integers=integers)
        self._tokens = _tokens(folder, self._network)
        self.n_dimensions = self._dimensions()

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Return the vectors of texts; a text without words has zeros."""
        with ThreadPoolExecutor(self.n_threads) as pool:
            passages = self._passages(texts, pool)
            batches = list(batched(passages))
            found = list(pool.map(lambda batch: self._vectors(passages, batch), batches))
        sums = np.zeros((len(texts), self.n_dimensions), dtype=np.float64)
        for batch, vectors in zip(batches, found, strict=True):
            weights = np.array([len(passages[i].ids) for i in batch])
            rows = np.array([passages[i].text for i in batch])
            np.add.at(sums, rows, unit(vectors) * weights[:, None])
        counts = np.bincount([one.text for one in passages], minlength=len(texts))
        return Encoded(unit(sums).astype(np.float32), counts.astype(np.int64))

    def _passages(self, texts: Sequence[str], pool: ThreadPoolExecutor) -> list[Passage]:
        starts = range(0, len(texts), TOKENISED)
        parts = pool.map(lambda i: self._tokens.passages(texts[i : i + TOKENISED]), starts)
        return [
            Passage(start + one.text, one.ids)
            for start, part in zip(starts, parts, strict=True)
            for one in part
        ]

    def _vectors(self, passages: Sequence[Passage], batch: Sequence[int]) -> Array:
        longest = max(len(passages[i].ids) for i in batch)
        ids = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros(ids.shape, dtype=np.int32)
        for row, i in enumerate(batch):
            ids[row, : len(passages[i].ids)] = passages[i].ids
            mask[row, : len(passages[i].ids)] = 1
        return self._network(ids, mask)

    def _dimensions(self) -> int:
        passages = self._tokens.passages(["a"])
        return int(self._vectors(passages, [0]).shape[1])


def batched(passages: Sequence[Passage]) -> Iterator[list[int]]:
    """Give the places of passages in batches of similar length.

    A batch has at most `BATCH_TOKENS` tokens with its padding, or a single passage.
    """
    batch: list[int] = []
    for i in sorted(range(len(passages)), key=lambda i: len(passages[i].ids)):
        if batch and (len(batch) + 1) * len(passages[i].ids) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return vectors of length 1; zeros stay zeros."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def available_processors() -> int:
    """Return how many processors to use; ``OMP_NUM_THREADS`` limits them, as elsewhere."""
    limit = os.environ.get("OMP_NUM_THREADS", "")
    allowed = int(limit) if limit.isdecimal() and int(limit) else cpu_count()
    return max(1, min(cpu_count(), allowed))


def _tokens(folder: ModelFolder, network: Network) -> Tokens:
    limits = [one for one in (folder.max_tokens, network.max_tokens) if one is not None]
    tokens = Tokens(
        folder.path / "tokenizer.json",
        min(limits, default=None) if network.special_tokens else None,
        network.special_tokens,
        folder.lower_case,
        folder.prompt,
    )
    if network.n_words is not None and tokens.n_words > network.n_words:
        raise DataError(
            f"{folder.path}: the tokenizer has {tokens.n_words:,} tokens, but the network has "
            f"vectors of {network.n_words:,}"
        )
    return tokens
