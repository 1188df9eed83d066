"""Passages: texts as tokens, cut where they are longer than the model reads.

A long text is cut into passages of equal length, so that its end is read like its beginning. Its
vector is the mean of theirs, weighted by their lengths.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.errors import DataError

PIECE = 50_000  # characters that are tokenised at once, so that a long text needs little memory
_SPACE = re.compile(r"\s")


class Passage(NamedTuple):
    """A part of a text: the row of the text, and all tokens that the model gets."""

    text: int
    ids: NDArray[np.int64]


class Tokens:
    """Cuts texts into tokens and these into passages.

    Parameters
    ----------
    path
        The file ``tokenizer.json``.
    max_tokens
        The longest passage, special tokens included; None if there is no limit.
    special_tokens
        Whether a passage begins and ends with the special tokens of the model.
    lower_case, prompt
        What is done to a text before.
    """

    def __init__(
        self,
        path: Path,
        max_tokens: int | None,
        special_tokens: bool = True,
        lower_case: bool = False,
        prompt: str = "",
    ) -> None:
        self._tokenizer = _open(path)
        self.n_words = self._tokenizer.get_vocab_size()
        self._before, self._after = self._special() if special_tokens else ([], [])
        self._lower_case, self._prompt = lower_case, prompt
        n_special = len(self._before) + len(self._after)
        self.limit = None if max_tokens is None else max_tokens - n_special
        if self.limit is not None and self.limit < 1:
            raise DataError(f"{path}: the model must read at least one token, but reads none")

    def passages(self, texts: Sequence[str]) -> list[Passage]:
        """Return the passages of texts, in order; a text without a token has none."""
        found = []
        for row, ids in enumerate(self._tokenised(texts)):
            for part in self._cut(ids):
                whole = np.array([*self._before, *part, *self._after], dtype=np.int64)
                found.append(Passage(row, whole))
        return found

    def _tokenised(self, texts: Sequence[str]) -> list[list[int]]:
        prepared = [self._prepared(text) for text in texts]
        parts = [(i, piece) for i, text in enumerate(prepared) for piece in pieces(text)]
        found: list[list[int]] = [[] for _ in texts]
        encoded = self._tokenizer.encode_batch_fast([p for _, p in parts], add_special_tokens=False)
        for (i, _), one in zip(parts, encoded, strict=True):
            found[i].extend(one.ids)
        return found

    def _prepared(self, text: str) -> str:
        if not text.strip():
            return ""
        text = without_surrogates(text)
        return self._prompt + (text.lower() if self._lower_case else text)

    def _cut(self, ids: list[int]) -> Iterator[list[int]]:
        n = 1 if self.limit is None else -(-len(ids) // self.limit)
        ends = [len(ids) * i // n for i in range(n + 1)] if ids else [0]
        return (ids[a:b] for a, b in pairwise(ends))

    def _special(self) -> tuple[list[int], list[int]]:
        """Return the tokens that the model expects before and after a text."""
        bare = self._tokenizer.encode("a", add_special_tokens=False).ids
        full = self._tokenizer.encode("a", add_special_tokens=True).ids
        for i in range(len(full) - len(bare) + 1):
            if full[i : i + len(bare)] == bare:
                return full[:i], full[i + len(bare) :]
        return [], []


def pieces(text: str) -> Iterator[str]:
    """Cut a text at white space, after every `PIECE` characters or more.

    >>> [len(piece) for piece in pieces("word " * 15_000)]
    [50004, 24996]
    """
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + PIECE)
        end = min(space.start() if space else len(text), start + 2 * PIECE)
        yield text[start:end]
        start = end


def without_surrogates(text: str) -> str:
    """Replace halves of surrogate pairs, which UTF-8 cannot hold; whole pairs become a character.

    >>> without_surrogates("a" + chr(0xD83D) + "b")
    'a\N{REPLACEMENT CHARACTER}b'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _open(path: Path) -> Any:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # `Encoder` has the threads
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more special
        raise DataError(f"{path} must be a tokenizer of Hugging Face: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
