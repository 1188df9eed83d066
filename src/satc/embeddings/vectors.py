"""Vectors of texts in Python: `embed`, and `iter_embed` for texts that do not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from satc.embeddings.embedder import Embedder, PathLike
from satc.embeddings.models.finding import DEFAULT_MODEL
from satc.embeddings.models.weights import Array

BLOCK_TEXTS = 1_000
BLOCK_CHARACTERS = 500_000  # a block is embedded in seconds, and then kept

Progress = Callable[[int, int], None]


def embed(
    texts: Sequence[str],
    model: PathLike | Embedder = DEFAULT_MODEL,
    *,
    cache: bool | PathLike = True,
    progress: Progress | None = None,
) -> Array:
    """Return a vector of each text, of length 1 and of type float32: texts x dimensions.

    Texts with a similar meaning have similar vectors. A text that is longer than the model reads is
    cut into passages, and has the mean of their vectors. A text without words has zeros.

    Parameters
    ----------
    texts
        The texts.
    model
        The name or the folder of a sentence-transformers model, or an `Embedder`.
    cache
        True keeps vectors in the user's cache, so that a text is embedded once; a path keeps them
        in that folder; False keeps none.
    progress
        Called with the number of texts that are done and the number of all.

    Raises
    ------
    satc.errors.MissingExtraError
        If the extra ``embeddings`` is not installed.
    satc.errors.DataError
        If the model is not found, or satc cannot compute it.
    """
    if isinstance(texts, str):
        raise TypeError("texts must be a sequence of strings, but is one string")
    texts = list(texts)
    _check(texts)
    embedder = model if isinstance(model, Embedder) else Embedder(model, cache=cache)
    vectors = np.empty((len(texts), embedder.n_dimensions), dtype=np.float32)
    done = 0
    for block in iter_embed(texts, embedder):
        vectors[done : done + len(block)] = block
        done += len(block)
        if progress is not None:
            progress(done, len(texts))
    return vectors


def iter_embed(
    texts: Iterable[str],
    model: PathLike | Embedder = DEFAULT_MODEL,
    *,
    cache: bool | PathLike = True,
) -> Iterator[Array]:
    """Give the vectors of texts block by block, in order; only one block is in memory.

    The parameters are those of `embed`. The iterator of texts is read as far as needed.
    """
    embedder = model if isinstance(model, Embedder) else Embedder(model, cache=cache)
    return (embedder.embed(block) for block in _blocks(texts))


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    block: list[str] = []
    n_characters = 0
    for i, text in enumerate(texts):
        _check([text], i)
        block.append(text)
        n_characters += len(text)
        if len(block) >= BLOCK_TEXTS or n_characters >= BLOCK_CHARACTERS:
            yield block
            block, n_characters = [], 0
    if block:
        yield block


def _check(texts: Sequence[str], first: int = 0) -> None:
    for i, text in enumerate(texts, start=first):
        if not isinstance(text, str):
            raise TypeError(f"texts[{i}] must be a string, but is {type(text).__name__}")
