"""Words by Unicode's properties, and scripts that are written without spaces.

A word is a letter and the letters and combining marks that follow it, so vowel signs (Hindi) and
vowel points (Hebrew, Arabic) stay with their letters. Invisible joiners belong to a word, too; they
are removed from it, because people type them or leave them out. In scripts without spaces
(Chinese, Japanese, Thai, ...) the letters between two other signs are one *run*, not a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

# Scripts by the names of Unicode. Tibetan divides syllables, and Myanmar phrases, but not words.
_NAMES = (
    "Han Hiragana Katakana Bopomofo Thai Lao Khmer Myanmar Tibetan Tai_Le New_Tai_Lue Tai_Tham "
    "Tai_Viet Javanese Balinese Yi"
)
_UNSPACED = "".join(rf"\p{{scx={name}}}" for name in _NAMES.split())
_SPACED = rf"[\p{{L}}--[{_UNSPACED}]]"
_JOINERS = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_NUMBER = r"\p{Nd}+(?:[.,]\p{Nd}+)*"

_PIECES = regex.compile(
    rf"(?V1)(?P<run>[[\p{{L}}\p{{M}}]&&[{_UNSPACED}]]+)"
    rf"|(?P<number>{_NUMBER})|{_SPACED}[{_SPACED}\p{{M}}{_JOINERS}]*"
)
_ANY_UNSPACED = regex.compile(rf"(?V1)[\p{{L}}&&[{_UNSPACED}]]")
_WORDS = regex.compile(rf"\p{{L}}[\p{{L}}\p{{M}}{_JOINERS}]*")  # many times as fast as _PIECES
_WORDS_AND_NUMBERS = regex.compile(rf"{_WORDS.pattern}|{_NUMBER}")
_SYMBOLS = regex.compile(
    r"\p{Extended_Pictographic}|\p{So}|[!?]+|\.\.+|…|[:;=]['-]?[()DPp]+|[()]\)+"
)
_LONGEST_SYMBOL = 3  # "!!!!!!" is "!!!"
_REMOVE_JOINERS = str.maketrans("", "", _JOINERS)


class Piece(NamedTuple):
    """A word of a text, or a run of letters of a script without spaces, and where it begins."""

    text: str
    is_run: bool
    start: int
    end: int


def has_unspaced(text: str) -> bool:
    """Say whether a text has letters of a script that is written without spaces.

    >>> [has_unspaced(text) for text in ("two words", "两个词", "देवनागरी", "ไทย")]
    [False, True, False, True]
    """
    return not text.isascii() and _ANY_UNSPACED.search(text) is not None


def words_of(text: str, *, digits: bool = False) -> list[str]:
    """Return the words of a text that has spaces; with `digits`, the numbers, too.

    >>> words_of("हिन्दी में 3 शब्द, l'été")
    ['हिन्दी', 'में', 'शब्द', 'l', 'été']
    """
    found: list[str] = (_WORDS_AND_NUMBERS if digits else _WORDS).findall(text)
    if text.isascii():
        return found
    return [word.translate(_REMOVE_JOINERS) for word in found]


def pieces_of(text: str, *, digits: bool = False) -> Iterator[Piece]:
    """Yield the words and runs of a text; with `digits`, the numbers, too.

    >>> [piece.text for piece in pieces_of("USB线 坏了")]
    ['USB', '线', '坏了']
    """
    for match in _PIECES.finditer(text):
        if digits or match["number"] is None:
            is_run = match["run"] is not None
            word = match.group() if is_run else match.group().translate(_REMOVE_JOINERS)
            yield Piece(word, is_run, *match.span())


def symbols_of(text: str) -> list[str]:
    """Return the emoji, emoticons and exclamations of a text.

    >>> symbols_of("So good!!!!! :) ❤")
    ['!!!', ':)', '❤']
    """
    return [symbol[:_LONGEST_SYMBOL] for symbol in _SYMBOLS.findall(text)]
