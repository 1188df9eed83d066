"""Train a learner on labelled texts, score these out of fold, and classify other texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from satc.errors import DataError
from satc.files import Documents
from satc.files.faults import Faults
from satc.inputs import Scores
from satc.ranking import Ranking
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked
from satc.ranking.unfetched import places
from satc.texts.embedded.opinion import EmbeddedTexts, embed_texts
from satc.texts.embedded.wanted import OPINION, wanted_vectors
from satc.texts.labelled import LabelledDocuments, read_labelled
from satc.texts.learner_source import LearnerSource
from satc.texts.opinions.evidence import opinions_on, training_with, with_opinions
from satc.texts.opinions.reading import Opinion, read_opinions
from satc.texts.source import Block, Progress, training_arguments
from satc.texts.unlabelled import ids_of, iter_unlabelled
from satc.texts.words.classifier import WordClassifier, train_on_words
from satc.texts.words.lexicon import Lexicon
from satc.training import Training


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
    words
        The classifier on words; None if the classifier on vectors gives the scores.
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
    words: WordClassifier | None
    embedded: EmbeddedTexts | None = None
    opinions: tuple[Opinion, ...] = ()

    def new_lexicon(self) -> Lexicon | None:
        """Return an empty lexicon of the learner; None if its words are not known."""
        return None if self.words is None else self.words.new_lexicon()

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
        if self.words is not None:
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
        if self.words is None:
            raise ValueError("words must be a fitted classifier to score words, but is None")
        return self.words.classify(documents.texts)

    def _finish(self) -> None:
        if self.embedded is not None:
            self.embedded.vectors.finish()


def train_learner(source: LearnerSource, progress: Progress) -> TrainedLearner:
    """Train and cross-validate the learner of a source."""
    progress("reading the labelled documents")
    labelled = source.labelled or read_labelled(source)
    opinions = _read_opinions(source, labelled)
    embedded = embed_texts(source, labelled, progress)
    words = train_on_words(source, labelled, progress)
    ids = labelled.documents.ids
    training = _training(labelled, words, embedded)
    return TrainedLearner(
        source,
        labelled.documents.classes,
        ids,
        labelled.documents.texts,
        training_with(training, opinions, ids, source.train),
        labelled.task,
        words,
        embedded,
        opinions,
    )


def _training(
    labelled: LabelledDocuments,
    words: WordClassifier | None,
    embedded: EmbeddedTexts | None,
) -> Training:
    """Return the training side: of words, of vectors, or of both."""
    if embedded is None and words is not None:
        learnt = words.classifier
        return Training(learnt.oof_scores_, learnt.y_train_, words.train_features)
    if embedded is None:
        raise ValueError("a classifier or vectors must be given, but neither is")
    if words is None:
        return Training(embedded.oof_scores, labelled.labels, embedded.train_vectors)
    opinions = {OPINION: embedded.oof_scores}
    oof_scores, labels = words.classifier.oof_scores_, words.classifier.y_train_
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
