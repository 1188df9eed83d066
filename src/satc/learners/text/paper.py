"""The words of the paper: English stems, as weights or as presence (Section 6.3).

Words are maximal runs of letters, so punctuation and numbers are dropped. Words are lower-cased;
stop words and single letters are removed; the other words are reduced to Porter stems. A word is
compared with the stop words before it is stemmed. Both vectorizers are ordinary scikit-learn
objects: terms that do not occur in training documents are ignored.
"""

from __future__ import annotations

import re
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline

from satc.learners.text.languages import ENGLISH
from satc.learners.text.tfidf import LogTfidfTransformer
from satc.learners.text.words import stems_of

_WORD = re.compile(r"[^\W\d_]{2,}")


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text, in the order of the text.

    >>> stems("The banks RAISED their 1987 rates by 0.5 pct; Reuters said so.")
    ['bank', 'rais', 'rate', 'pct', 'reuter', 'said']
    """
    known = stems_of(ENGLISH, remove_stop_words=True)
    return [stem for word in _WORD.findall(text.lower()) if (stem := known[word])]


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
