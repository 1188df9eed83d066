"""From texts to features: words and characters, in any language.

Each name is imported on first use: the words of a text are needed without scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satc.learners.text.languages import STOP_WORDS as STOP_WORDS
    from satc.learners.text.paper import count_vectorizer as count_vectorizer
    from satc.learners.text.paper import presence_vectorizer as presence_vectorizer
    from satc.learners.text.paper import stems as stems
    from satc.learners.text.paper import tfidf_vectorizer as tfidf_vectorizer
    from satc.learners.text.tfidf import LogTfidfTransformer as LogTfidfTransformer
    from satc.learners.text.vectorizer import TextVectorizer as TextVectorizer

_HOMES = {
    "STOP_WORDS": "languages",
    "count_vectorizer": "paper",
    "presence_vectorizer": "paper",
    "stems": "paper",
    "tfidf_vectorizer": "paper",
    "LogTfidfTransformer": "tfidf",
    "TextVectorizer": "vectorizer",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"satc.learners.text.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'satc.learners.text' has no attribute {name!r}")
