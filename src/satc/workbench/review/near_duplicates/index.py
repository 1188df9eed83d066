"""The index of near-duplicates: MinHash signatures, divided into bands.

Two documents are candidates if all hashes of at least one band are equal (locality-sensitive
hashing). With 16 bands of 4 hashes, a pair whose similarity is s becomes a pair of candidates with
probability ``1 - (1 - s**4)**16``: 99.98% at 0.8, where pairs count as nearly the same. Whoever
uses the index compares the texts of the candidates, so a wrong candidate does no harm. The index
takes 128 bytes per document, whatever the length of the texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from satc.workbench.review.near_duplicates.shingles import LENGTH, words

BANDS = 16
ROWS = 4  # hashes of a band
_BATCH_WORDS = 100_000  # hashed at once
Hashes = NDArray[np.uint64]

_generator = np.random.default_rng(19)
_MULTIPLIERS: Hashes = _generator.integers(2**63, size=BANDS * ROWS, dtype=np.uint64) * 2 + 1
_SHIFTS: Hashes = _generator.integers(2**63, size=BANDS * ROWS, dtype=np.uint64)
_PLACES: Hashes = _generator.integers(2**63, size=LENGTH, dtype=np.uint64) * 2 + 1
_ROW_PLACES: Hashes = _generator.integers(2**63, size=ROWS, dtype=np.uint64) * 2 + 1
_HALF = np.uint64(32)


class NearDuplicateIndex:
    """Finds the documents that are probably nearly the same as one of them.

    Attributes
    ----------
    n_documents : int
        The documents that were indexed.
    """

    def __init__(self, keys: NDArray[np.uint32], has_words: NDArray[np.bool_]) -> None:
        self.n_documents = len(has_words)
        self._has_words = has_words
        self._keys = keys  # bands x documents
        indexed = np.flatnonzero(has_words).astype(np.int32)
        self._order = [indexed[np.argsort(band[indexed], kind="stable")] for band in keys]

    def candidates(self, document: int) -> NDArray[np.intp]:
        """Return the other documents that share a band, those with the most bands first."""
        if not self._has_words[document]:
            return np.empty(0, dtype=np.intp)
        found = np.concatenate([self._of_band(band, document) for band in range(BANDS)])
        others, n_bands = np.unique(found[found != document], return_counts=True)
        return others[np.argsort(-n_bands, kind="stable")].astype(np.intp)

    def _of_band(self, band: int, document: int) -> NDArray[np.int32]:
        keys, order = self._keys[band], self._order[band]
        key = keys[document]
        low, high = _span(keys, order, key)
        return order[low:high]


def _span(keys: NDArray[np.uint32], order: NDArray[np.int32], key: np.uint32) -> tuple[int, int]:
    """Return where the documents with this key begin and end, by bisection."""
    bounds = []
    for is_after in (False, True):
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            found = keys[order[middle]]
            if found < key or (is_after and found == key):
                low = middle + 1
            else:
                high = middle
        bounds.append(low)
    return bounds[0], bounds[1]


def make_index(texts: Iterable[str]) -> NearDuplicateIndex:
    """Index texts; only a batch of them is in memory at a time."""
    keys: list[NDArray[np.uint32]] = []
    has_words: list[bool] = []
    for batch in _batches(texts):
        keys.append(_band_keys([hashed for hashed in batch if len(hashed)]))
        has_words.extend(len(hashed) > 0 for hashed in batch)
    present = np.array(has_words, dtype=np.bool_)
    found = np.zeros((BANDS, len(present)), dtype=np.uint32)
    if keys:
        found[:, present] = np.concatenate(keys, axis=1)
    return NearDuplicateIndex(found, present)


def _batches(texts: Iterable[str]) -> Iterator[list[Hashes]]:
    """Yield the hashed shingles of texts, in lists of about `_BATCH_WORDS`."""
    batch: list[Hashes] = []
    size = 0
    for text in texts:
        batch.append(_hashed_shingles(words(text)))
        size += len(batch[-1])
        if size >= _BATCH_WORDS or len(batch) >= _BATCH_WORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _hashed_shingles(of: list[str]) -> Hashes:
    """Return a number for each shingle of a list of words."""
    numbers = np.array([hash(word) for word in of], dtype=np.int64).view(np.uint64)
    if 0 < len(numbers) < LENGTH:
        numbers = np.concatenate([numbers, np.zeros(LENGTH - len(numbers), dtype=np.uint64)])
    n = max(len(numbers) - LENGTH + 1, 0)
    mixed = np.zeros(n, dtype=np.uint64)
    for k, place in enumerate(_PLACES):
        mixed += numbers[k : k + n] * place
        mixed ^= mixed >> _HALF
    return mixed


def _band_keys(batch: list[Hashes]) -> NDArray[np.uint32]:
    """Return one key for each band and document."""
    keys = np.zeros((BANDS, len(batch)), dtype=np.uint32)
    if not batch:
        return keys
    together = np.concatenate(batch)
    starts = np.cumsum([0, *map(len, batch[:-1])])
    for band in range(BANDS):
        mixed = np.zeros(len(batch), dtype=np.uint64)
        for row in range(ROWS):
            k = band * ROWS + row
            least = np.minimum.reduceat(together * _MULTIPLIERS[k] + _SHIFTS[k], starts)
            mixed += (least ^ (least >> _HALF)) * _ROW_PLACES[row]
        keys[band] = mixed >> _HALF
    return keys
