"""`TextAnalysis`: which parts of a text are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

from satc.learners.text.character_counts import CharacterVectorizer
from satc.learners.text.languages import ENGLISH
from satc.learners.text.words import WordAnalyzer

WORDS, CHARACTERS, BOTH = "words", "characters", "both"
ANALYZERS = (WORDS, CHARACTERS, BOTH)

_MANY = 100  # texts; with fewer, a term that occurs once is kept
_NGRAMS = (1, 4)
_ENGLISH_NGRAMS = (4, 4)  # beside English words these do as well, and there are a third as many


@dataclass(frozen=True)
class TextAnalysis:
    """Which parts of a text are counted.

    Attributes
    ----------
    analyzer
        "words", "characters" (n-grams of up to four characters, within words), or "both".
    languages
        The languages of the texts, for stems and stop words; empty if they are not known.
    short
        Whether the texts are short. Then every word matters: stop words, emoji and pairs of words
        count. In long texts, stop words are removed.
    digits
        Whether numbers are words. They always belong to the characters.
    """

    analyzer: str
    languages: tuple[str, ...] = ()
    short: bool = False
    digits: bool = False

    @property
    def counts_words(self) -> bool:
        """Whether words are counted."""
        return self.analyzer != CHARACTERS

    @property
    def counts_characters(self) -> bool:
        """Whether n-grams of characters are counted."""
        return self.analyzer != WORDS

    def words(self, n_texts: int) -> Any:
        """Return the vectorizer that counts words, for so many training texts."""
        analyze = WordAnalyzer(
            self.languages,
            remove_stop_words=not self.short,
            digits=self.digits,
            symbols=self.short,
            runs=not self.counts_characters,
        )
        if not self.short:
            return CountVectorizer(analyzer=analyze)
        return CountVectorizer(
            tokenizer=analyze,
            token_pattern=None,
            lowercase=False,
            ngram_range=(1, 2),
            min_df=_least(n_texts),
        )

    def characters(self, n_texts: int) -> CharacterVectorizer:
        """Return the vectorizer that counts n-grams of characters, for so many training texts."""
        english = self.analyzer == BOTH and self.languages == (ENGLISH,)
        ngrams = _ENGLISH_NGRAMS if english else _NGRAMS
        return CharacterVectorizer(*ngrams, min_df=_least(n_texts))

    def __str__(self) -> str:
        what = {BOTH: "words and characters"}.get(self.analyzer, self.analyzer)
        if not self.counts_words:
            return what
        if not self.languages:
            return f"{what} (language not known, so words are not stemmed)"
        stop_words = "kept" if self.short else "removed"
        return f"{what} (language: {', '.join(self.languages)}; stop words {stop_words})"


def _least(n_texts: int) -> int:
    return 2 if n_texts >= _MANY else 1
