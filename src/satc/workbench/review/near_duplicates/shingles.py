"""Texts as sets of shingles: three consecutive words each, without case, spaces and punctuation.

In scripts without spaces (Chinese, Japanese, Thai, ...) every character counts as a word. Emoji
count as words, too. A text without words ("-", "?", nothing at all) is one word: its signs. A text
of one or two words is one shingle. Two texts are nearly the same if
their sets have a Jaccard similarity of at least `NEAR`: in a text of 100 words about three words
may differ, and short texts must have the same words.
"""

from __future__ import annotations

from itertools import islice
from unicodedata import normalize

import regex

from satc.learners.text.scripts import has_unspaced, pieces_of, words_of

NEAR = 0.8  # the least similarity of texts that are nearly the same
LENGTH = 3  # words of a shingle
LONGEST = 10_000  # words of a text that are compared; the rest is left out
_EMOJI = regex.compile(r"\p{Extended_Pictographic}|\p{So}")

Shingles = frozenset[tuple[str, ...]]


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, as they are compared.

    >>> words("The  DOG, 3 times!"), words("USB线坏了 😡")
    (['the', 'dog', '3', 'times'], ['usb', '线', '坏', '了', '😡'])
    >>> words(" - . "), words("")
    (['-.'], [''])
    """
    return _words_in(text) or ["".join(text.split())[:LONGEST]]


def _words_in(text: str) -> list[str]:
    if text.isascii():
        return words_of(text.lower(), digits=True)[:LONGEST]
    folded = normalize("NFKC", text).casefold()
    if not has_unspaced(folded):
        found = words_of(folded, digits=True)
    else:
        found = []
        for piece in pieces_of(folded, digits=True):
            found.extend(piece.text if piece.is_run else [piece.text])
    return [*islice(found, LONGEST), *_EMOJI.findall(folded)[:LONGEST]]


def shingles(of: list[str]) -> Shingles:
    """Return the shingles of a list of words.

    >>> sorted(shingles(["a", "b", "c", "d"])), shingles(["a", "b"]), shingles([])
    ([('a', 'b', 'c'), ('b', 'c', 'd')], frozenset({('a', 'b')}), frozenset())
    """
    if len(of) < LENGTH:
        return frozenset([tuple(of)]) if of else frozenset()
    return frozenset(zip(*(of[k:] for k in range(LENGTH)), strict=False))


def similarity(first: Shingles, second: Shingles) -> float:
    """Return the Jaccard similarity of two sets; 0 if one of them is empty."""
    if not first or not second:
        return 0.0
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)
