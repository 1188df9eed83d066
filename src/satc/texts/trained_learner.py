"""Train a learner on labelled texts, score these out of fold, and classify other texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from satc.classifier import SemiAutomatedClassifier
from satc.errors import DataError
from satc.files import Documents
from satc.files.faults import Faults
from satc.inputs import Scores
from satc.ranking import Ranking
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked
from satc.ranking.unfetched import places
from satc.texts.embedded.opinion import EmbeddedTexts, embed_texts
from satc.texts.embedded.wanted import OPINION, learner_of_words, wanted_vectors
from satc.texts.labelled import LabelledDocuments, read_labelled
from satc.texts.learner import make_learner
from satc.texts.learner_source import LearnerSource
from satc.texts.opinions.evidence import opinions_on, training_with, with_opinions
from satc.texts.opinions.reading import Opinion, read_opinions
from satc.texts.source import Block, Progress, training_arguments
from satc.texts.unlabelled import ids_of, iter_unlabelled
from satc.texts.words import Lexicon, lexicon_of
from satc.training import Training

_MANY = 1_000  # documents; with fewer, starting processes takes longer than they save


@dataclass(frozen=True, eq=False)
class TrainedLearner:
    """A trained learner, with the file of documents that it classifies.

    Attributes
    ----------
    source
        The files and options.
    classes
        Names of the classes, those of the training labels.
    train_ids, train_texts
        Ids of the labelled documents, in the order of `training`, and their texts.
    training
        Their out-of-fold scores, labels and features.
    task
        "single-label" if each of them has exactly one label.
    classifier
        The fitted classifier; None if the classifier on vectors gives the scores.
    vectorizer
        The fitted vectorizer; None if the classifier takes the texts themselves.
    embedded
        Vectors of the texts, with their classifier; None if there are none.
    opinions
        Further opinions, from files.
    """

    source: LearnerSource
    classes: tuple[str, ...]
    train_ids: tuple[str, ...]
    train_texts: tuple[str, ...]
    training: Training
    task: str
    classifier: SemiAutomatedClassifier | None
    vectorizer: Any
    embedded: EmbeddedTexts | None = None
    opinions: tuple[Opinion, ...] = ()

    def new_lexicon(self) -> Lexicon | None:
        """Return an empty lexicon of the learner; None if its words are not known."""
        if self.classifier is None:
            return None
        return lexicon_of(self.vectorizer, self.classifier.scorer_)

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Classify the documents of the source, block by block."""
        start = 0
        for documents in iter_unlabelled(self.source.documents, self.source.columns, faults):
            yield self.classify(documents, start)
            start += len(documents)
        self._finish()

    def classify(self, documents: Documents, start: int = 0) -> Block:
        """Score documents, of which the first is the document `start` of the source."""
        opinions = opinions_on(self.opinions, documents.ids, len(documents), start)
        if self.embedded is None:
            scores, features = self._by_words(documents)
            return Block(documents, scores, with_opinions(features, opinions))
        vectors = self.embedded.vectors.of(documents, start)
        scores = self.embedded.scores(vectors)
        if self.classifier is not None:
            opinions = {OPINION: scores, **opinions}
            scores, _ = self._by_words(documents)
        return Block(documents, scores, with_opinions(vectors, opinions))

    def rank(self, documents: Documents, **options: Any) -> Ranking:
        """Classify documents and rank them all; the options are those of `satc.rank`, but `task`.

        Documents of equal utility are sorted by their ids.
        """
        block = self.classify(documents)
        self._finish()
        known = training_arguments(self.training, block.features)
        prepared = prepare(block.scores, task=self.task, **known, **options)
        return ranked(replace(prepared, ties=places(documents.ids)))

    def _by_words(self, documents: Documents) -> tuple[Scores, Any]:
        """Return the scores of the learner on words, and its features."""
        if self.classifier is None:
            raise ValueError("classifier must be fitted to score words, but is None")
        texts: Any = list(documents.texts)
        if self.vectorizer is not None:
            texts = self.vectorizer.transform(texts)
        return self.classifier.scores(texts), self.classifier.features(texts)

    def _finish(self) -> None:
        if self.embedded is not None:
            self.embedded.vectors.finish()


def train_learner(source: LearnerSource, progress: Progress) -> TrainedLearner:
    """Train and cross-validate the learner of a source."""
    progress("reading the labelled documents")
    labelled = source.labelled or read_labelled(source)
    opinions = _read_opinions(source, labelled)
    embedded = embed_texts(source, labelled, progress)
    classifier, vectorizer = _train_on_words(source, labelled, progress)
    ids = labelled.documents.ids
    training = _training(labelled, classifier, embedded)
    return TrainedLearner(
        source,
        labelled.documents.classes,
        ids,
        labelled.documents.texts,
        training_with(training, opinions, ids, source.train),
        labelled.task,
        classifier,
        vectorizer,
        embedded,
        opinions,
    )


def _train_on_words(
    source: LearnerSource, labelled: LabelledDocuments, progress: Progress
) -> tuple[SemiAutomatedClassifier | None, Any]:
    """Return the fitted classifier on words and its vectorizer; None if the source wants none."""
    learner = learner_of_words(source.learner)
    if learner is None:
        return None, None
    vectorizer, estimator = make_learner(learner)
    documents = labelled.documents
    texts: Any = list(documents.texts)
    if vectorizer is not None:
        progress("counting words")
        texts = _count_words(source, vectorizer, texts)
    progress(f"training and cross-validating on {len(documents):,} documents")
    classifier = SemiAutomatedClassifier(
        estimator,
        cv=source.folds,
        n_jobs=-1 if len(documents) >= _MANY else None,
        random_state=source.seed,
    )
    return classifier.fit(texts, labelled.labels), vectorizer


def _training(
    labelled: LabelledDocuments,
    classifier: SemiAutomatedClassifier | None,
    embedded: EmbeddedTexts | None,
) -> Training:
    """Return the training side: of words, of vectors, or of both."""
    if embedded is None and classifier is not None:
        return Training(classifier.oof_scores_, classifier.y_train_, classifier.train_features_)
    if embedded is None:
        raise ValueError("a classifier or vectors must be given, but neither is")
    if classifier is None:
        return Training(embedded.oof_scores, labelled.labels, embedded.train_vectors)
    opinions = {OPINION: embedded.oof_scores}
    oof_scores, labels = classifier.oof_scores_, classifier.y_train_
    return Training(oof_scores, labels, embedded.train_vectors, opinions)


def _read_opinions(source: LearnerSource, labelled: LabelledDocuments) -> tuple[Opinion, ...]:
    """Read the files of opinions, and check them before anything is trained."""
    for file in source.opinions:
        if file.name == OPINION and wanted_vectors(source) is not None:
            raise DataError(
                f"{file}: the classifier on vectors is called {OPINION!r} already; choose another "
                "name"
            )
    classes, columns = labelled.documents.classes, source.columns.as_dict()
    opinions = read_opinions(
        source.opinions, classes, source.wanted, labelled.task, columns, trained=True
    )
    ids = ids_of(source.documents, source.columns) if opinions else None
    for one in opinions:
        if ids is not None:
            one.check(ids, len(ids), source.documents)
    return opinions


def _count_words(source: LearnerSource, vectorizer: Any, texts: list[str]) -> Any:
    try:
        return vectorizer.fit_transform(texts)
    except ValueError as error:  # scikit-learn says "empty vocabulary"
        raise DataError(
            f"{source.train} must have texts with words to learn from, but has none"
        ) from error
