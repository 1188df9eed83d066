"""From texts to features: words and characters, in any language."""

from satc.learners.text.languages import STOP_WORDS
from satc.learners.text.paper import (
    count_vectorizer,
    presence_vectorizer,
    stems,
    tfidf_vectorizer,
)
from satc.learners.text.tfidf import LogTfidfTransformer
from satc.learners.text.vectorizer import TextVectorizer

__all__ = [
    "STOP_WORDS",
    "LogTfidfTransformer",
    "TextVectorizer",
    "count_vectorizer",
    "presence_vectorizer",
    "stems",
    "tfidf_vectorizer",
]
