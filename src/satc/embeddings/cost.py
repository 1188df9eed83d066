"""The cost of embedding: measured on a sample of the texts, and said before it is spent."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappush, heappushpop
from itertools import accumulate
from time import perf_counter
from typing import NamedTuple

from satc.embeddings.cache import text_keys
from satc.embeddings.embedder import Embedder

SAMPLE_TEXTS = 256
TEXT_CHARACTERS = 5_000  # of a text in the sample; the rest of it takes as long per character
SAMPLE_CHARACTERS = 50_000


class Cost(NamedTuple):
    """What embedding will cost; `seconds` is an estimate.

    >>> print(Cost(20_000, 0, 48.7))
    20,000 texts, about 411 texts per second: about 49 s
    >>> print(Cost(20_000, 20_000, 0.0))
    20,000 texts, all in the cache
    """

    n_texts: int
    n_cached: int
    seconds: float

    @property
    def per_second(self) -> float:
        """How many texts are embedded in a second."""
        return (self.n_texts - self.n_cached) / max(self.seconds, 1e-9)

    def __str__(self) -> str:
        texts = f"{self.n_texts:,} text{'' if self.n_texts == 1 else 's'}"
        if self.n_cached == self.n_texts:
            return f"{texts}, all in the cache"
        if not self.seconds:
            return f"{texts} without words: nothing to compute"
        cached = f", {self.n_cached:,} of them in the cache" if self.n_cached else ""
        speed = f"{self.per_second:,.0f}" if self.per_second >= 10 else f"{self.per_second:.1f}"
        return f"{texts}{cached}, about {speed} texts per second: about {duration(self.seconds)}"


def duration(seconds: float) -> str:
    """Return a duration in words.

    >>> duration(49.2), duration(600), duration(9_000)
    ('49 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


class Survey:
    """Looks at all texts before any is embedded: how many, how long, how many cached.

    It also takes a sample: the beginnings of the texts with the smallest digests. So the sample is
    uniform, and does not depend on the order of the texts or on how they come in blocks.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.n_texts = self.n_cached = self.n_characters = 0
        self._sample: list[tuple[int, str]] = []  # a heap; its first has the largest digest

    def add(self, texts: Sequence[str]) -> None:
        """Look at some texts."""
        known = self.embedder.known(texts)
        self.n_texts += len(texts)
        self.n_cached += int(known.sum())
        for key, text, cached in zip(text_keys(texts).tolist(), texts, known, strict=True):
            if not cached:
                self.n_characters += len(text)
                self._offer(-int.from_bytes(key.ljust(16, b"\0")), text)

    def cost(self) -> Cost:
        """Embed the sample, and return what all texts will cost."""
        sample = self._chosen()
        if not any(sample):
            return Cost(self.n_texts, self.n_cached, 0.0)
        encoder = self.embedder.encoder
        start = perf_counter()
        encoder.encode(sample)
        each = (perf_counter() - start) / sum(map(len, sample))
        return Cost(self.n_texts, self.n_cached, each * self.n_characters)

    def _chosen(self) -> list[str]:
        """Return the texts of the sample, as many as are embedded in a second or two."""
        texts = [text for _, text in sorted(self._sample, reverse=True)]
        before = accumulate(map(len, texts), initial=0)
        return [text for text, n in zip(texts, before, strict=False) if n < SAMPLE_CHARACTERS]

    def _offer(self, key: int, text: str) -> None:
        add = heappush if len(self._sample) < SAMPLE_TEXTS else heappushpop
        add(self._sample, (key, text[:TEXT_CHARACTERS]))
