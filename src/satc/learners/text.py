"""From texts to features: weights or presence of word stems (Section 6.3 of the paper).

Words are maximal runs of letters, so punctuation and numbers are dropped. Words are lower-cased;
stop words and single letters are removed; the other words are reduced to Porter stems. A word is
compared with the stop words before it is stemmed. Both vectorizers are ordinary scikit-learn
objects: terms that do not occur in training documents are ignored.
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

# Function words only, with the parts of their contractions before and after an apostrophe. The list
# of scikit-learn also contains words like "interest", "bill" and "system", which are topics here.
# "won" and "let" are not stop words.
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
    """Return the stems of the words of a text, in the order of the text.

    >>> stems("The banks RAISED their 1987 rates by 0.5 pct; Reuters said so.")
    ['bank', 'rais', 'rate', 'pct', 'reuter', 'said']
    """
    vocabulary = _vocabulary()
    return [stem for word in _WORD.findall(text.lower()) if (stem := vocabulary[word])]


def tfidf_vectorizer(**count_options: Any) -> Pipeline:
    """Return a vectorizer for (1 + ln tf) x ln(N/df), cosine-normalised: the input of the SVM.

    `count_options` are passed to scikit-learn's `CountVectorizer`.

    >>> tfidf_vectorizer().fit_transform(["wheat and corn", "corn"]).toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    return Pipeline(
        [("count", count_vectorizer(**count_options)), ("weight", LogTfidfTransformer())]
    )


def count_vectorizer(**count_options: Any) -> CountVectorizer:
    """Return a vectorizer that counts how often a document contains a term."""
    return CountVectorizer(analyzer=stems, **count_options)


def presence_vectorizer(**count_options: Any) -> CountVectorizer:
    """Return a vectorizer with 1 if a document contains a term, else 0: the input of MP-Boost."""
    return count_vectorizer(binary=True, **count_options)


class LogTfidfTransformer(TransformerMixin, BaseEstimator):
    """Transform counts to (1 + ln tf) x ln(N/df), cosine-normalised.

    `TfidfTransformer` of scikit-learn adds 1 to the second factor, so that terms which occur in
    every document keep a weight; here their weight is 0. The weight of a term that no training
    document contains is 0, too; such terms exist if the transformer is fitted on a part of the
    counted documents.
    """

    def fit(self, X: Any, y: object = None) -> Self:
        """Compute ln(N/df) of each term."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        document_frequency = _non_negative(X, self).getnnz(axis=0)
        self.idf_ = np.log(X.shape[0] / np.maximum(document_frequency, 1))
        self.idf_[document_frequency == 0] = 0.0
        return self

    def transform(self, X: Any) -> sparse.csr_matrix:
        """Return weighted and normalised rows; a document without known terms is a row of zeros."""
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
    """A cache from words to stems; the stem of a stop word is empty.

    Stemming takes most of the time, and a corpus has far fewer different words than tokens. The
    cache is cleared when it reaches its limit, so its memory is bounded.
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
    """Return a copy in CSR form without stored zeros; negative counts are an error."""
    counts = sparse.csr_matrix(X, copy=True)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    if counts.nnz and counts.data.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {type(owner).__name__}: X must hold counts"
        )
    return counts
