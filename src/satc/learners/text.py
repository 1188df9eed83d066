"""From texts to features (Section 6.3 of the paper): word stems, weighted or merely present.

Words are maximal runs of letters, so punctuation and numbers fall away; they are lower-cased, stop
words and single letters are removed, and the rest is reduced to Porter stems. A word is compared
with the stop words before it is stemmed. Both vectorizers are ordinary scikit-learn objects: terms
that were not seen in training are ignored.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted, validate_data

# Function words only, with what an apostrophe leaves of their contractions. scikit-learn's own list
# takes words like "interest", "bill" and "system", which are topics here. "won" and "let" are left.
_FUNCTION_WORDS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
her hers herself it its itself they them their theirs themselves what which who whom this that
these those am is are was were be been being have has had having do does did doing would should
could ought can cannot a an the and but if or because as until while of at by for with about
against between into through during before after above below to from up down in out on off over
under again further then once here there when where why how all any both each few more most
other some such no nor not only own same so than too very
ll re ve aren couldn didn doesn don hadn hasn haven isn mustn shan shouldn wasn weren wouldn
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
_WORD = re.compile(r"[^\W\d_]{2,}")


def stems(text: str) -> list[str]:
    """Reduce a text to the stems of its words, in its order.

    >>> stems("The banks RAISED their 1987 rates by 0.5 pct; Reuters said so.")
    ['bank', 'rais', 'rate', 'pct', 'reuter', 'said']
    """
    vocabulary = _vocabulary()
    return [stem for word in _WORD.findall(text.lower()) if (stem := vocabulary[word])]


def tfidf_vectorizer(**count_options: Any) -> Pipeline:
    """(1 + ln tf) x ln(N/df), cosine-normalised: the input of the SVM.

    `count_options` go to scikit-learn's `CountVectorizer`.

    >>> tfidf_vectorizer().fit_transform(["wheat and corn", "corn"]).toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    return Pipeline(
        [("count", count_vectorizer(**count_options)), ("weight", LogTfidfTransformer())]
    )


def count_vectorizer(**count_options: Any) -> CountVectorizer:
    """How often the document has the term."""
    return CountVectorizer(analyzer=stems, **count_options)


def presence_vectorizer(**count_options: Any) -> CountVectorizer:
    """1 where the document has the term, else 0: the input of MP-Boost."""
    return count_vectorizer(binary=True, **count_options)


class LogTfidfTransformer(TransformerMixin, BaseEstimator):
    """Counts to (1 + ln tf) x ln(N/df), cosine-normalised.

    scikit-learn's own `TfidfTransformer` adds 1 to the second factor, which keeps terms that occur
    in every document; here they weigh nothing. A term without a training document, possible where
    the transformer is fitted on a part of the counted documents, weighs nothing either.
    """

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn ln(N/df) of each term."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        document_frequency = _non_negative(X, self).getnnz(axis=0)
        self.idf_ = np.log(X.shape[0] / np.maximum(document_frequency, 1))
        self.idf_[document_frequency == 0] = 0.0
        return self

    def transform(self, X: Any) -> sparse.csr_matrix:
        """Weigh and normalise; a document without a known term is a row of zeros."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        weighted = _non_negative(X, self)
        weighted.data = (1.0 + np.log(weighted.data)) * self.idf_[weighted.indices]
        weights: sparse.csr_matrix = normalize(weighted, copy=False)
        return weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


class _Vocabulary(dict[str, str]):
    """Word to stem, filled as words come; stop words have the empty stem.

    Stemming is what tokenising would spend its time on, and a corpus has far fewer words than
    tokens. The memory stays bounded: an endless stream of new words starts it afresh.
    """

    limit = 1_000_000

    def __init__(self) -> None:
        import Stemmer

        self._stem = Stemmer.Stemmer("porter", 0).stemWord

    def __missing__(self, word: str) -> str:
        if len(self) >= self.limit:
            self.clear()
        stem = "" if word in STOP_WORDS else self._stem(word)
        self[word] = stem
        return stem


@cache
def _vocabulary() -> _Vocabulary:
    return _Vocabulary()


def _non_negative(X: Any, owner: object) -> sparse.csr_matrix:
    """Copy into CSR form without stored zeros; counts below 0 have no logarithm."""
    counts = sparse.csr_matrix(X, copy=True)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    if counts.nnz and counts.data.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {type(owner).__name__}: X must hold counts"
        )
    return counts
