"""A guess of the languages of texts, by their stop words.

About half of the words of a text are stop words of its language, and few are stop words of another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from satc.learners.text.languages import known_languages, stop_words_of
from satc.learners.text.scripts import words_of

_SAMPLE = 2_000  # texts
_LEAST_SHARE = 0.2  # of the words of a text must be stop words of its language
_FEWEST = 3  # different stop words of the main language, else none is known
_CLEAR_LEAD = 2  # stop words that another language must have more than the main one
_LEAST_TEXTS = 0.05  # of the texts must be in a language, else it is left out


def guess_languages(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the languages of some texts, the most frequent one first; () if none is known.

    >>> guess_languages(["Das ist nur ein Satz und noch einer", "This is what it is about"])
    ('de', 'en')
    """
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    texts_as_words = [words_of(text.lower()) for text in sample]
    counted = [(len(words), _hits(words)) for words in texts_as_words]
    total = sum((hits for _, hits in counted), Counter())
    main = total.most_common(1)[0][0] if total else ""
    if _hits(set().union(*texts_as_words))[main] < _FEWEST:
        return ()
    guesses = (_clear_language(hits, main, n_words) for n_words, hits in counted)
    found = Counter(guess for guess in guesses if guess is not None)
    enough = _LEAST_TEXTS * found.total()
    return tuple(language for language, n in found.most_common() if n >= enough)


def language_of(words: Iterable[str], languages: Sequence[str]) -> str:
    """Return which of these languages has most of the words as stop words; the first in doubt."""
    hits = _hits(words)
    return max(languages, key=lambda language: hits[language])


def _clear_language(hits: Counter[str], main: str, n_words: int) -> str | None:
    """Return the language of a text: the main one, unless another one is clearly ahead of it."""
    if not hits:
        return None
    lead = hits.most_common(1)[0][0]
    language = lead if hits[lead] >= hits[main] + _CLEAR_LEAD else main
    return language if hits[language] >= _LEAST_SHARE * n_words else None


def _hits(words: Iterable[str]) -> Counter[str]:
    table = _languages_of_words()
    return Counter(language for word in words for language in table.get(word, ()))


@cache
def _languages_of_words() -> dict[str, tuple[str, ...]]:
    """Return the languages of which a word is a stop word."""
    table: dict[str, list[str]] = defaultdict(list)
    for language in known_languages():
        for word in sorted(stop_words_of(language)):
            table[word].append(language)
    return {word: tuple(languages) for word, languages in table.items()}
