"""Where a new project comes from: a learner to train, or the scores of one we never see.

A source knows the classes and the training side at once, and gives the documents in blocks, each
with its scores: 100,000 documents are never in memory together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import clone

from satc.classifier import SemiAutomatedClassifier
from satc.errors import DataError
from satc.files import (
    Documents,
    iter_documents,
    read_documents,
    read_scores,
    read_training,
)
from satc.files.faults import Faults, OnFault
from satc.inputs import Labels, Scores, indicator
from satc.learners.presets import LEARNERS
from satc.ranking import Ranking, rank
from satc.texts.words import Lexicon, lexicon_of

if TYPE_CHECKING:
    from satc.workbench.project.larger_set import LargerSet  # it needs a database's packages

BLOCK = 2_000  # documents
_MANY = 1_000  # with fewer, starting processes takes longer than they save

Progress = Callable[[str, int, int | None], None]  # what, how many, of how many


class Training(NamedTuple):
    """The training side: what calibration and tables are estimated from."""

    oof_scores: Scores
    y_train: Labels
    features: Any  # documents x terms, or None

    def arguments(self, features: Any) -> dict[str, Any]:
        """Return what `satc.rank` and its like are told of it; with the documents' features."""
        known = {"oof_scores": self.oof_scores, "y_train": self.y_train}
        if features is not None and self.features is not None:
            known |= {"features": features, "train_features": self.features}
        return known


class Block(NamedTuple):
    """Some documents with their scores."""

    documents: Documents
    scores: Scores
    features: Any


class Source(Protocol):
    """What a project is made from."""

    @property
    def lexicon(self) -> Lexicon | None:
        """Return which words stand for which terms, where that is known."""

    @property
    def whole(self) -> LargerSet | None:
        """Return the set that the documents are a part of, where there is one."""

    def prepare(self, progress: Progress) -> tuple[tuple[str, ...], Training | None]:
        """Return the names of the classes, and the training side where there is one."""

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Give the documents with their scores."""


@dataclass(frozen=True)
class Columns:
    """What the columns of the users' files are called."""

    id_column: str = "id"
    text_column: str = "text"
    labels_column: str = "labels"
    separator: str = "|"

    def as_dict(self) -> dict[str, str]:
        """Return them as keyword arguments."""
        return dict(vars(self))


def unlabelled(path: Path, columns: Columns, on_fault: OnFault) -> Iterator[Documents]:
    """Read the documents to be classified, in blocks; labels that they have are kept as they are.

    They are one of the columns that come back, beside what is said of the documents here.
    """
    return iter_documents(
        path,
        batch_size=BLOCK,
        id_column=columns.id_column,
        text_column=columns.text_column,
        labels_column=None,
        on_fault=on_fault,
    )


@dataclass
class LearnerSource:
    """Train a learner on labelled documents, score them out of fold, classify the others."""

    train: Path
    documents: Path
    learner: str = "svm"
    folds: int = 10
    seed: int = 0
    columns: Columns = field(default_factory=Columns)
    vectorizer: Any = field(default=None, init=False)
    classifier: SemiAutomatedClassifier | None = field(default=None, init=False)
    classes: tuple[str, ...] = field(default=(), init=False)
    whole: None = field(default=None, init=False)

    @property
    def lexicon(self) -> Lexicon | None:
        """Return which words stand for which terms."""
        if self.classifier is None:
            return None
        return lexicon_of(self.vectorizer, self.classifier.scorer_)

    def prepare(self, progress: Progress) -> tuple[tuple[str, ...], Training]:
        """Train and cross-validate, once."""
        if self.classifier is None:
            self._train(progress)
        return self.classes, self._training()

    def _train(self, progress: Progress) -> None:
        progress("reading the labelled documents", 0, None)
        labelled = self._labelled()
        estimator = self._estimator()
        texts: Any = list(labelled.texts)
        if self.vectorizer is not None:
            progress("counting words", 0, None)
            texts = self._counted(texts)
        progress(f"training and cross-validating on {len(labelled):,} documents", 0, None)
        classifier = SemiAutomatedClassifier(
            estimator,
            cv=self.folds,
            n_jobs=-1 if len(labelled) >= _MANY else None,
            random_state=self.seed,
        )
        classifier.fit(texts, indicator(labelled.labels or (), labelled.classes))
        self.classifier, self.classes = classifier, labelled.classes

    def _counted(self, texts: list[str]) -> Any:
        try:
            return self.vectorizer.fit_transform(texts)
        except ValueError as error:  # an empty vocabulary, in scikit-learn's words
            raise DataError(
                f"{self.train} must have texts with words to learn from, but has none"
            ) from error

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Classify the documents block by block."""
        for documents in unlabelled(self.documents, self.columns, faults):
            yield self.classified(documents)

    def classified(self, documents: Documents) -> Block:
        """Score documents."""
        texts: Any = list(documents.texts)
        if self.vectorizer is not None:
            texts = self.vectorizer.transform(texts)
        clf = self._trained()
        return Block(documents, clf.scores(texts), clf.features(texts))

    def ranked(self, documents: Documents, **options: Any) -> Ranking:
        """Classify documents and rank them all; the options are those of `satc.rank`."""
        block = self.classified(documents)
        return rank(block.scores, **self._training().arguments(block.features), **options)

    def _trained(self) -> SemiAutomatedClassifier:
        if self.classifier is None:
            raise ValueError("prepare must be called first")
        return self.classifier

    def _training(self) -> Training:
        clf = self._trained()
        return Training(clf.oof_scores_, clf.y_train_, clf.train_features_)

    def _labelled(self) -> Documents:
        labelled = read_documents(self.train, **self.columns.as_dict())
        if labelled.labels is None:
            raise DataError(
                f"{self.train} must have the column {self.columns.labels_column!r}, but has none"
            )
        if not labelled.classes:
            raise DataError(f"{self.train} must hold at least one label, but holds none")
        if len(labelled) < self.folds:
            raise DataError(
                f"{self.train} must hold at least {self.folds} documents, one for each fold, "
                f"but holds {len(labelled)}"
            )
        return labelled

    def _estimator(self) -> Any:
        if self.learner in LEARNERS:
            preset = LEARNERS[self.learner]
            self.vectorizer = preset.vectorizer()
            return preset.estimator()
        return load_learner(self.learner)


@dataclass
class ScoresSource:
    """Take the scores of a classifier that we never see."""

    documents: Path
    scores: Path
    oof_scores: Path | None = None
    train_labels: Path | None = None
    columns: Columns = field(default_factory=Columns)
    lexicon: Lexicon | None = field(default=None, init=False)
    whole: None = field(default=None, init=False)

    def prepare(self, progress: Progress) -> tuple[tuple[str, ...], Training | None]:
        """Read the scores and the training side."""
        progress("reading the scores", 0, None)
        self._table = read_scores(self.scores)
        names = self._table.classes
        training = None
        if self.oof_scores is not None and self.train_labels is not None:
            known = read_training(
                self.oof_scores, self.train_labels, names, **self.columns.as_dict()
            )
            training = Training(known.oof_scores, known.labels, None)
        n_classes = self._table.scores.shape[1]
        return names or tuple(f"class {j + 1}" for j in range(n_classes)), training

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Give the documents, each with its row of the scores."""
        start = 0
        scores = self._table.scores
        rows = None
        if self._table.ids is not None:
            rows = {identity: row for row, identity in enumerate(self._table.ids)}
        for documents in unlabelled(self.documents, self.columns, faults):
            if rows is not None:
                found = self._rows_of(documents, rows, faults)
            else:
                found = np.arange(start, start + len(documents))
                start += len(documents)
            if start > len(scores):
                break
            yield Block(documents, scores[found], None)
        n_rows = len(scores) if rows is None else len(rows)
        if not faults.found and rows is None and start != n_rows:
            raise DataError(
                f"{self.scores} must have a row for each document of {self.documents}, "
                f"but has {n_rows:,} rows for {'more than ' * (start > n_rows)}"
                f"{min(start, n_rows) if start > n_rows else start:,} documents"
            )

    def _rows_of(self, documents: Documents, rows: dict[str, int], faults: Faults) -> Any:
        missing = [identity for identity in documents.ids if identity not in rows]
        for identity in missing:
            faults(DataError(f"{self.scores} must have scores of {identity!r}, but has none"))
        return np.array([rows.get(identity, 0) for identity in documents.ids])


def load_learner(name: str) -> Any:
    """Return the scikit-learn classifier that ``module:object`` names.

    The object is a classifier of texts, or a function that makes one.
    """
    module, _, attribute = name.partition(":")
    if not (module and attribute):
        known = ", ".join(sorted(LEARNERS))
        raise ValueError(f"learner must be one of {known}, or module:object, but is {name!r}")
    sys.path.insert(0, "")
    try:
        found = getattr(import_module(module), attribute)
        if isinstance(found, type) or not hasattr(found, "fit"):
            found = found()
        return clone(found)
    except Exception as error:  # a module of somebody else's may raise anything
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"learner {name!r} cannot be loaded: {what}") from error
    finally:
        sys.path.pop(0)
