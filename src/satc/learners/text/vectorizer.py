"""`TextVectorizer`: counts of words and characters, in any language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from satc.learners.text.choice import choose_analysis
from satc.learners.text.counting import TermCounter
from satc.learners.text.languages import AUTO


class TextVectorizer(TransformerMixin, BaseEstimator):
    """Count the words of texts, n-grams of their characters, or both.

    Parameters
    ----------
    language : str
        A code of ISO 639-1 such as "de", for stems and stop words; "none" for neither; "auto" to
        find the languages of the training texts. Texts of several languages can be mixed.
    analyzer : str
        "words", "characters", "both", or "auto": what suits the script and the length of the
        training texts and, in doubt, what gives the higher F1 in a quick cross-validation. Scripts
        without spaces are always counted by characters.
    digits : bool
        Whether numbers are words.

    Attributes
    ----------
    counter_ : TermCounter
        Counts the terms that were found; `counter_.analysis` says which parts of a text are
        counted, and the first `counter_.n_words` columns count words.

    Examples
    --------
    >>> vectorizer = TextVectorizer(language="de", analyzer="words")
    >>> vectorizer.fit_transform(["Häuser und ein Haus", "Haus"]).shape
    (2, 6)
    >>> print(vectorizer.counter_.analysis)
    words (language: de; stop words kept)
    """

    def __init__(self, *, language: str = AUTO, analyzer: str = AUTO, digits: bool = False) -> None:
        self.language = language
        self.analyzer = analyzer
        self.digits = digits

    def fit(self, texts: Sequence[str], y: Any = None) -> Self:
        """Choose what is counted, and find the terms."""
        self.fit_transform(texts, y)
        return self

    def fit_transform(self, texts: Sequence[str], y: Any = None) -> sparse.csr_matrix:
        """Choose what is counted, find the terms, and count them.

        `y` is a matrix of labels, documents x classes; without it, nothing is cross-validated.
        """
        texts = list(texts)
        self.counter_ = TermCounter(
            choose_analysis(texts, y, self.language, self.analyzer, self.digits)
        )
        return self.counter_.fit_transform(texts)

    def transform(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Count the terms of texts: first words, then n-grams."""
        check_is_fitted(self)
        return self.counter_.transform(list(texts))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
