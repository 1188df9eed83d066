"""Counts of n-grams of characters, within words.

The n-grams are those of scikit-learn's ``CountVectorizer(analyzer="char_wb")``: a space is added on
both sides of a word, and a word that is shorter than n counts as one n-gram. A corpus has far fewer
different words than words. So the n-grams of each word are listed once, and the counts of texts are
the product of two sparse matrices: texts x words and words x n-grams.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer


class CharacterVectorizer:
    """Counts n-grams of the characters of words, in lower case.

    Parameters
    ----------
    shortest, longest
        The numbers of characters of an n-gram.
    min_df
        N-grams of fewer texts are left out.

    Attributes
    ----------
    vocabulary_
        The n-grams, each with its column; columns are in the order of the n-grams.

    Examples
    --------
    >>> vectorizer = CharacterVectorizer(1, 2)
    >>> vectorizer.fit_transform(["ab", "b b"]).toarray()
    array([[2, 1, 0, 1, 1, 1, 1],
           [4, 0, 2, 0, 0, 2, 2]])
    >>> list(vectorizer.vocabulary_)
    [' ', ' a', ' b', 'a', 'ab', 'b', 'b ']
    """

    def __init__(self, shortest: int, longest: int, min_df: int = 1) -> None:
        self.shortest = shortest
        self.longest = longest
        self.min_df = min_df
        self.vocabulary_: dict[str, int] = {}

    def fit_transform(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Find the n-grams of texts, and count them; a ValueError if there are none."""
        of_words = CountVectorizer(analyzer=self.ngrams)
        of_texts = CountVectorizer(analyzer=_words)
        counts = of_texts.fit_transform(texts)
        counts = counts @ of_words.fit_transform(of_texts.get_feature_names_out())
        kept = np.flatnonzero(counts.getnnz(axis=0) >= self.min_df)
        if not len(kept):
            raise ValueError(f"{self.min_df} texts must have an n-gram in common, but do not")
        names = of_words.get_feature_names_out()[kept]
        self.vocabulary_ = {name: column for column, name in enumerate(names)}
        return _sorted(counts[:, kept])

    def transform(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Count the n-grams of the vocabulary in texts."""
        of_words = CountVectorizer(analyzer=self.ngrams, vocabulary=self.vocabulary_)
        of_texts = CountVectorizer(analyzer=_words)
        if not any(map(_words, texts)):
            shape = len(texts), len(self.vocabulary_)
            return sparse.csr_matrix(([], ([], [])), shape=shape, dtype=np.int64)
        counts = of_texts.fit_transform(texts)
        return _sorted(counts @ of_words.transform(of_texts.get_feature_names_out()))

    def build_analyzer(self) -> Callable[[str], list[str]]:
        """Return the function from a text to its n-grams."""
        return lambda text: [part for word in _words(text) for part in self.ngrams(word)]

    def ngrams(self, word: str) -> list[str]:
        """Return the n-grams of a word.

        >>> CharacterVectorizer(2, 4).ngrams("ab")
        [' a', 'ab', 'b ', ' ab', 'ab ', ' ab ']
        """
        padded = f" {word} "
        parts = []
        for n in range(self.shortest, self.longest + 1):
            starts = len(padded) - n + 1
            if starts <= 1:  # longer n-grams would be the same word again
                parts.append(padded)
                break
            parts += [padded[start : start + n] for start in range(starts)]
        return parts


def _words(text: str) -> list[str]:
    return text.lower().split()


def _sorted(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return counts with the columns of each row in order, as scikit-learn returns them."""
    counts = counts.tocsr()
    counts.sort_indices()
    return counts
