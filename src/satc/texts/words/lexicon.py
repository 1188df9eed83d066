"""What speaks for and against a label, for learners whose scores are sums over terms.

When a project is created, two things are taken from the fitted learner: a *lexicon*, which maps
the words of the documents to numbers, and the words of each class with the largest weights. The
weight of a word is the sum of the weights of its terms: its stem, and the n-grams of its
characters. Words with the same terms have the same number. In scripts without spaces,
parts of up to four characters take the place of words. Marking a text then needs neither the
learner nor a pickle of it (`marks`).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from satc.estimation.scorer import Scorer
from satc.learners.text.scripts import pieces_of
from satc.learners.text.vectorizer import TextVectorizer
from satc.learners.text.words import parts_of
from satc.texts.words.marks import LONGEST_PART
from satc.texts.words.weights import weights_of

WORDS_PER_CLASS = 500
_MOST_WORDS = 500_000


class Terms:
    """The columns of words in the matrix of a fitted vectorizer, or of several side by side."""

    def __init__(self, vectorizers: Sequence[Any]) -> None:
        sizes = [len(one.vocabulary_) for one in vectorizers]
        self.size = sum(sizes)
        self._parts = [
            (one.build_analyzer(), one.vocabulary_, start)
            for one, start in zip(vectorizers, np.cumsum([0, *sizes[:-1]]), strict=True)
        ]

    def of_word(self, word: str) -> tuple[int, ...]:
        """Return the columns of the terms of a word that stands alone."""
        return tuple(
            int(vocabulary[term] + start)
            for analyze, vocabulary, start in self._parts
            for term in analyze(word)
            if term in vocabulary
        )

    def of_part(self, part: str) -> tuple[int, ...]:
        """Return the columns of a part of a run, where the part itself is a term."""
        return tuple(
            int(vocabulary[part] + start)
            for _, vocabulary, start in self._parts
            if part in vocabulary
        )


class Lexicon:
    """Collects the words of documents, and maps them to the terms of a fitted learner."""

    def __init__(self, terms: Terms, scorer: Scorer) -> None:
        self._terms = terms
        self._weights = weights_of(scorer, terms.size)
        self._numbers: dict[str, int] = {}
        self._groups: dict[tuple[int, ...], int] = {}
        self._seen: set[str] = set()

    def add(self, texts: Iterable[str]) -> None:
        """Add the words of some texts."""
        for text in texts:
            for piece in pieces_of(text.lower(), digits=True):
                if piece.is_run:
                    for part in parts_of(piece.text, LONGEST_PART):
                        self._add(part, self._terms.of_part)
                else:
                    self._add(piece.text, self._terms.of_word)

    def packed(self) -> bytes:
        """Return the lexicon as bytes; `marks.unpacked` reads them."""
        return zlib.compress(json.dumps(self._numbers).encode())

    def packed_weights(self, label: int) -> bytes | None:
        """Return the words of a class with the largest weights; None if they are not known."""
        weights = self._weights(label)
        if weights is None:
            return None
        found = self._columns() @ weights
        top = np.argsort(-np.abs(found), kind="stable")[:WORDS_PER_CLASS]
        top = top[found[top] != 0]
        return json.dumps([[int(k), float(f"{found[k]:.4g}")] for k in top]).encode()

    def knows_weights(self, n_classes: int) -> bool:
        """Whether the weights of any class are known."""
        return any(self._weights(label) is not None for label in range(n_classes))

    def _add(self, word: str, columns_of: Any) -> None:
        if word in self._seen or len(self._seen) >= _MOST_WORDS:
            return
        self._seen.add(word)
        if columns := columns_of(word):
            self._numbers[word] = self._groups.setdefault(columns, len(self._groups))

    def _columns(self) -> sparse.csr_matrix:
        """Return which terms the words of each number have: a row for each number."""
        lengths = [len(columns) for columns in self._groups]
        columns = np.array([column for group in self._groups for column in group], dtype=np.int64)
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        shape = (len(self._groups), self._terms.size)
        return sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=shape)


def lexicon_of(vectorizer: Any, scorer: Scorer) -> Lexicon | None:
    """Return an empty lexicon for a fitted learner; None if its words cannot be known."""
    found = vectorizer if vectorizer is not None else _vectorizer_in(scorer.transformer)
    if found is None:
        return None
    if isinstance(found, TextVectorizer):
        counter = found.counter_
        parts = [part for part in (counter.words, counter.characters) if part is not None]
        lexicon = Lexicon(Terms(parts), scorer)
    else:
        lexicon = Lexicon(Terms([found]), scorer)
    return lexicon if lexicon.knows_weights(len(scorer.always)) else None


def _vectorizer_in(transformer: Any) -> Any:
    steps = getattr(transformer, "steps", [("", transformer)])
    for _, step in steps:
        if hasattr(step, "vocabulary_") and hasattr(step, "build_analyzer"):
            return step
    return None
