"""Count the terms of texts by a given analysis: first words, then n-grams of characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy import sparse

from satc.learners.text.analysis import TextAnalysis


class TermCounter:
    """Counts the terms that occur in the texts on which it was fitted.

    Attributes
    ----------
    analysis
        Which parts of a text are counted.
    words, characters
        The fitted vectorizers of words and of n-grams; None if they are not counted, or if no
        text has any.
    """

    def __init__(self, analysis: TextAnalysis) -> None:
        self.analysis = analysis
        self.words: Any = None
        self.characters: Any = None

    @property
    def n_words(self) -> int:
        """The number of columns that count words; they come first."""
        return 0 if self.words is None else len(self.words.vocabulary_)

    def fit_transform(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Find the terms of texts, and count them."""
        counts = []
        if self.analysis.counts_words:
            self.words, found = _fitted(self.analysis.words(len(texts)), texts)
            counts += found
        if self.analysis.counts_characters:
            self.characters, found = _fitted(self.analysis.characters(len(texts)), texts)
            counts += found
        if not counts:
            raise ValueError(f"texts must contain {self.analysis.analyzer} to count, but have none")
        return sparse.hstack(counts, format="csr")

    def transform(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Count the terms of texts."""
        parts = [part for part in (self.words, self.characters) if part is not None]
        return sparse.hstack([part.transform(texts) for part in parts], format="csr")


def _fitted(vectorizer: Any, texts: Sequence[str]) -> tuple[Any, list[sparse.csr_matrix]]:
    """Fit a vectorizer and count; (None, []) if the texts have no terms for it."""
    try:
        return vectorizer, [vectorizer.fit_transform(texts)]
    except ValueError:  # scikit-learn says that the vocabulary is empty
        return None, []
