"""The words of a text as terms: stems by language, and parts of runs without spaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from satc.learners.text.guessing import language_of
from satc.learners.text.languages import stemmer_of, stop_words_of
from satc.learners.text.scripts import has_unspaced, pieces_of, symbols_of, words_of

_LONGEST_PART = 2  # characters of a run that count as a word


@dataclass(frozen=True)
class WordAnalyzer:
    """Returns the terms of a text.

    Words are lower-cased and reduced to stems. If the texts have several languages, each text has
    the language of most of its stop words.

    Attributes
    ----------
    languages
        The languages of the texts, the most frequent one first; empty if they are not known.
    remove_stop_words
        Whether stop words and words of one letter are removed.
    digits
        Whether numbers are words.
    symbols
        Whether emoji, emoticons and exclamations are words; they come last.
    runs
        Whether the characters and pairs of characters of runs without spaces are words.

    Examples
    --------
    >>> WordAnalyzer(("de", "en"), remove_stop_words=True)("Das sind die Häuser von 1900.")
    ['haus']
    >>> WordAnalyzer(symbols=True)("你好, world!")
    ['你', '你好', '好', 'world', '!']
    """

    languages: tuple[str, ...] = ()
    remove_stop_words: bool = False
    digits: bool = False
    symbols: bool = False
    runs: bool = True

    def __call__(self, text: str) -> list[str]:
        lowered = text.lower()
        terms = list(self._mixed(lowered)) if has_unspaced(lowered) else self._words(lowered)
        return terms + symbols_of(text) if self.symbols else terms

    def _words(self, lowered: str) -> list[str]:
        words = words_of(lowered, digits=self.digits)
        stems = self._stems(words)
        return [stem for word in words if (stem := stems[word])]

    def _mixed(self, lowered: str) -> Iterator[str]:
        pieces = list(pieces_of(lowered, digits=self.digits))
        stems = self._stems([piece.text for piece in pieces if not piece.is_run])
        for piece in pieces:
            if not piece.is_run:
                yield from filter(None, [stems[piece.text]])
            elif self.runs:
                yield from parts_of(piece.text, _LONGEST_PART)

    def _stems(self, words: list[str]) -> Stems:
        several = len(self.languages) > 1
        language = language_of(words, self.languages) if several else "".join(self.languages)
        return stems_of(language, self.remove_stop_words)


def parts_of(run: str, longest: int) -> list[str]:
    """Return the parts of a run of up to `longest` characters.

    >>> parts_of("abc", 2)
    ['a', 'ab', 'b', 'bc', 'c']
    """
    n = len(run)
    return [run[i:j] for i in range(n) for j in range(i + 1, min(i + longest, n) + 1)]


class Stems(dict[str, str]):
    """A cache from words to stems; the stem of a word that is removed is empty.

    Stemming takes most of the time, and a corpus has far fewer different words than tokens. The
    cache is cleared when it reaches its limit, so its memory is bounded.
    """

    limit = 1_000_000

    def __init__(self, stem: Callable[[str], str], removed: frozenset[str], shortest: int) -> None:
        self._stem, self._removed, self._shortest = stem, removed, shortest

    def __missing__(self, word: str) -> str:
        if len(self) >= self.limit:
            self.clear()
        removed = word in self._removed or len(word) < self._shortest
        stem = "" if removed else self._stem(word)
        self[word] = stem
        return stem


@cache
def stems_of(language: str, remove_stop_words: bool) -> Stems:
    """Return the stems of a language; of an unknown one, the words themselves."""
    if not remove_stop_words:
        return Stems(stemmer_of(language), frozenset(), 1)
    return Stems(stemmer_of(language), stop_words_of(language), 2)
