"""The terms of a text: what the search index holds, and what a query asks for.

One function makes the terms for both databases, so that both find the same documents. A term is a
word, a number or a symbol, without case, accents and invisible joiners; vowel signs (Hindi) stay
with their letters. In scripts without spaces (Chinese, Japanese, Thai, ...), every pair of
neighbouring characters is a term, and so is the last character of a run. Such terms one after the
other find any part of a run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import regex

from satc.learners.text.scripts import has_unspaced, pieces_of

_ALWAYS_FITS = 50_000  # characters: the terms of a text of this length fit into any index
_MOST_BYTES = 1_000_000  # PostgreSQL holds up to 1 MiB of terms for each document
# A word of more than 60 characters counts as several.
_ASCII_WORDS = re.compile(r"[a-z]{1,60}|[0-9]{1,60}")
_WORDS = regex.compile(r"\p{L}[\p{L}\p{M}]{0,59}|\p{N}{1,60}|\p{So}")
# Accents, vowel points of Hebrew and Arabic, invisible joiners.
_IGNORED = "\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0670\u00ad\u200b-\u200d\u2060\ufeff"
_REMOVED = regex.compile(f"[{_IGNORED}]+")
WRITTEN_WORDS = regex.compile(rf"\p{{L}}[\p{{L}}\p{{M}}{_IGNORED}]*|\p{{N}}+|\p{{So}}")


class Part(NamedTuple):
    """A word, or a run of letters of a script without spaces; folded."""

    text: str
    is_run: bool


def folded(text: str) -> str:
    """Return a text without case, accents and joiners.

    >>> folded("Été à la STRASSE"), folded("Straße"), folded("हिन्दी")
    ('ete a la strasse', 'strasse', 'हिन्दी')
    """
    if text.isascii():
        return text.lower()
    plain = _REMOVED.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", plain)


def parts_of(text: str) -> Iterator[Part]:
    """Yield the words and runs of a text.

    >>> [part.text for part in parts_of("Case-12b: USB线坏了")]
    ['case', '12', 'b', 'usb', '线坏了']
    """
    plain = folded(text)
    words = (_ASCII_WORDS if plain.isascii() else _WORDS).findall(plain)
    for word in words:
        if has_unspaced(word):
            for piece in pieces_of(word):
                yield Part(piece.text, piece.is_run)
        else:
            yield Part(word, is_run=False)


def terms_of(text: str) -> list[str]:
    """Return the terms of a text, in order.

    >>> terms_of("USB线 坏了吗?")
    ['usb', '线', '坏了', '了吗', '吗']
    """
    plain = folded(text)
    if plain.isascii():
        terms = _ASCII_WORDS.findall(plain)
    else:
        terms = [
            term
            for part in parts_of(plain)
            for term in (pairs_of(part.text) if part.is_run else (part.text,))
        ]
    return terms if len(plain) <= _ALWAYS_FITS else _first_terms(terms)


def pairs_of(run: str) -> list[str]:
    """Return the pairs of neighbouring characters of a run, and its last character.

    >>> pairs_of("心肌梗")
    ['心肌', '肌梗', '梗']
    """
    return [run[i : i + 2] for i in range(len(run))]


def _first_terms(terms: list[str]) -> list[str]:
    """Return as many terms as fit into the index of one document."""
    known: set[str] = set()
    size = 0
    for count, term in enumerate(terms):
        size += 2
        if term not in known:
            known.add(term)
            size += len(term.encode()) + 4
        if size > _MOST_BYTES:
            return terms[:count]
    return terms
