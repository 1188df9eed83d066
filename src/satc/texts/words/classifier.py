"""The classifier that is trained on the words and characters of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from satc.classifier import SemiAutomatedClassifier
from satc.errors import DataError
from satc.estimation.transductive import is_transductive
from satc.files.faults import Faults
from satc.inputs import Scores
from satc.learners.text.analysis import TextAnalysis
from satc.learners.text.tfidf import LogTfidfTransformer
from satc.learners.text.vectorizer import TextVectorizer
from satc.texts.embedded.wanted import learner_of_words
from satc.texts.labelled import LabelledDocuments
from satc.texts.learner import make_learner, naming_plugin
from satc.texts.learner_source import LearnerSource
from satc.texts.source import Progress
from satc.texts.unlabelled import iter_unlabelled
from satc.texts.words.lexicon import Lexicon, lexicon_of
from satc.texts.words.wanted import AUTO

_TOLERANCE = 1e-2  # with characters; no decision differs from those with 1e-3
_MANY = 1_000  # documents; with fewer, starting processes takes longer than they save


@dataclass(frozen=True, eq=False)
class WordClassifier:
    """A fitted classifier of texts.

    If characters are counted beside the words, similar documents are found by the words alone:
    neighbours by characters are no better, and take longer to find.

    Attributes
    ----------
    classifier
        The fitted classifier.
    vectorizer
        The fitted vectorizer; None if the classifier takes the texts themselves.
    train_features
        Features of the training documents, by which similar documents are found.
    word_weights
        The weights of words, if these are the features; None if the classifier's features are.
    name
        The name of the learner.
    """

    classifier: SemiAutomatedClassifier
    vectorizer: Any
    train_features: Any
    word_weights: LogTfidfTransformer | None
    name: str

    @property
    def analysis(self) -> TextAnalysis | None:
        """Which parts of the texts are counted; None if the user's classifier decides."""
        found = isinstance(self.vectorizer, TextVectorizer)
        return self.vectorizer.counter_.analysis if found else None

    def classify(self, texts: Sequence[str]) -> tuple[Scores, Any]:
        """Return scores of texts, and the features by which similar documents are found."""
        X: Any = list(texts)
        if self.vectorizer is not None:
            X = self.vectorizer.transform(X)
        with naming_plugin(self.name):
            return self.classifier.scores(X), self._features(X)

    def new_lexicon(self) -> Lexicon | None:
        """Return an empty lexicon; None if the words of the classifier are not known."""
        return lexicon_of(self.vectorizer, self.classifier.scorer_)

    def _features(self, X: Any) -> Any:
        if self.word_weights is None:
            return self.classifier.features(X)
        return self.word_weights.transform(X[:, : self.word_weights.n_features_in_])


def train_on_words(
    source: LearnerSource, labelled: LabelledDocuments, progress: Progress
) -> WordClassifier | None:
    """Train and cross-validate the classifier of a source; None if the source wants none."""
    name = learner_of_words(source.learner)
    if name is None:
        return None
    vectorizer, estimator = make_learner(name, source.analysis)
    X: Any = list(labelled.documents.texts)
    if vectorizer is not None:
        progress("counting words")
        X = _counts(source, vectorizer, X, labelled.labels)
    if name == AUTO and vectorizer.counter_.analysis.counts_characters:
        estimator.set_params(linearsvm__tol=_TOLERANCE)
    progress(f"training and cross-validating on {len(labelled.documents):,} documents")
    unlabelled = _unlabelled(source, vectorizer, estimator)
    classifier = SemiAutomatedClassifier(
        estimator,
        cv=source.folds,
        n_jobs=-1 if len(labelled.documents) >= _MANY else None,
        random_state=source.seed,
    )
    with naming_plugin(name):
        classifier.fit(X, labelled.labels, unlabelled=unlabelled)
    return _with_features(classifier, vectorizer, X, name)


def _unlabelled(source: LearnerSource, vectorizer: Any, estimator: Any) -> Any:
    """Return the documents that are to be labelled, for a transductive learner; else None."""
    if not is_transductive(estimator):
        return None
    faults = Faults(source.documents)  # they are reported when the documents are classified
    blocks = iter_unlabelled(source.documents, source.columns, faults)
    texts = [text for block in blocks for text in block.texts]
    if not texts:
        return None
    return texts if vectorizer is None else vectorizer.transform(texts)


def _with_features(
    classifier: SemiAutomatedClassifier, vectorizer: Any, X: Any, name: str
) -> WordClassifier:
    n_words = vectorizer.counter_.n_words if isinstance(vectorizer, TextVectorizer) else 0
    if not 0 < n_words < X.shape[1]:
        return WordClassifier(classifier, vectorizer, classifier.train_features_, None, name)
    weights = LogTfidfTransformer()
    features = weights.fit_transform(X[:, :n_words])
    return WordClassifier(classifier, vectorizer, features, weights, name)


def _counts(source: LearnerSource, vectorizer: Any, texts: list[str], labels: Any) -> Any:
    try:
        return vectorizer.fit_transform(texts, labels)
    except ValueError as error:  # the vocabulary is empty
        raise DataError(
            f"{source.train} must have texts with words to learn from, but has none"
        ) from error
