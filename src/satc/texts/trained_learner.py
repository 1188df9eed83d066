"""Train a learner on labelled texts, score these out of fold, and classify other texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from satc.classifier import SemiAutomatedClassifier
from satc.errors import DataError
from satc.files import Documents
from satc.files.faults import Faults
from satc.ranking import Ranking
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked
from satc.ranking.unfetched import places
from satc.texts.labelled import read_labelled
from satc.texts.learner import make_learner
from satc.texts.learner_source import LearnerSource
from satc.texts.source import Block, Progress, training_arguments
from satc.texts.unlabelled import iter_unlabelled
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
        The fitted classifier.
    vectorizer
        The fitted vectorizer; None if the classifier takes the texts themselves.
    """

    source: LearnerSource
    classes: tuple[str, ...]
    train_ids: tuple[str, ...]
    train_texts: tuple[str, ...]
    training: Training
    task: str
    classifier: SemiAutomatedClassifier
    vectorizer: Any

    def new_lexicon(self) -> Lexicon | None:
        """Return an empty lexicon of the learner; None if its words are not known."""
        return lexicon_of(self.vectorizer, self.classifier.scorer_)

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Classify the documents of the source, block by block."""
        for documents in iter_unlabelled(self.source.documents, self.source.columns, faults):
            yield self.classify(documents)

    def classify(self, documents: Documents) -> Block:
        """Score documents."""
        texts: Any = list(documents.texts)
        if self.vectorizer is not None:
            texts = self.vectorizer.transform(texts)
        return Block(documents, self.classifier.scores(texts), self.classifier.features(texts))

    def rank(self, documents: Documents, **options: Any) -> Ranking:
        """Classify documents and rank them all; the options are those of `satc.rank`, but `task`.

        Documents of equal utility are sorted by their ids.
        """
        block = self.classify(documents)
        known = training_arguments(self.training, block.features)
        prepared = prepare(block.scores, task=self.task, **known, **options)
        return ranked(replace(prepared, ties=places(documents.ids)))


def train_learner(source: LearnerSource, progress: Progress) -> TrainedLearner:
    """Train and cross-validate the learner of a source."""
    progress("reading the labelled documents")
    labelled, labels, task = source.labelled or read_labelled(source)
    vectorizer, estimator = make_learner(source.learner)
    texts: Any = list(labelled.texts)
    if vectorizer is not None:
        progress("counting words")
        texts = _count_words(source, vectorizer, texts)
    progress(f"training and cross-validating on {len(labelled):,} documents")
    classifier = SemiAutomatedClassifier(
        estimator,
        cv=source.folds,
        n_jobs=-1 if len(labelled) >= _MANY else None,
        random_state=source.seed,
    )
    classifier.fit(texts, labels)
    training = Training(classifier.oof_scores_, classifier.y_train_, classifier.train_features_)
    return TrainedLearner(
        source,
        labelled.classes,
        labelled.ids,
        labelled.texts,
        training,
        task,
        classifier,
        vectorizer,
    )


def _count_words(source: LearnerSource, vectorizer: Any, texts: list[str]) -> Any:
    try:
        return vectorizer.fit_transform(texts)
    except ValueError as error:  # scikit-learn says "empty vocabulary"
        raise DataError(
            f"{source.train} must have texts with words to learn from, but has none"
        ) from error
