"""From texts to features: words and characters, in any language."""

from satc.learners.text.languages import STOP_WORDS as STOP_WORDS
from satc.learners.text.paper import count_vectorizer as count_vectorizer
from satc.learners.text.paper import presence_vectorizer as presence_vectorizer
from satc.learners.text.paper import stems as stems
from satc.learners.text.paper import tfidf_vectorizer as tfidf_vectorizer
from satc.learners.text.tfidf import LogTfidfTransformer as LogTfidfTransformer
from satc.learners.text.vectorizer import TextVectorizer as TextVectorizer
