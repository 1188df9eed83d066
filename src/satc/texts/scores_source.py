"""`ScoresSource`: documents with the scores of a classifier that was trained elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from satc.calibration.evidence import rows_of
from satc.errors import DataError
from satc.files import Documents, ScoreTable, read_scores
from satc.files.faults import Faults
from satc.files.matrices import refuse_probabilities
from satc.files.predictions.features import FeatureTable, read_both_features, read_features
from satc.files.training import read_training_with_ids
from satc.texts.columns import Columns
from satc.texts.opinions.evidence import opinions_on, training_with, with_opinions
from satc.texts.opinions.on_scores import (
    ScoredDocuments,
    numbered_classes,
    read_opinions_on_scores,
)
from satc.texts.opinions.opinion_file import OpinionFile
from satc.texts.source import Block, Progress
from satc.texts.unlabelled import iter_unlabelled
from satc.texts.wanted_task import WantedTask
from satc.training import Training


@dataclass(frozen=True)
class ScoresSource:
    """Read the scores of the documents from a file.

    Attributes
    ----------
    documents
        File of documents.
    scores
        Their scores. If they have ids, these are the ids of the documents; otherwise rows and
        documents are in the same order.
    oof_scores, train_labels
        Out-of-fold scores and labels of the training documents, for calibration; both or none.
    columns
        Names of the columns in the files of documents.
    none_class
        The class of training documents without a label; None to leave them without one.
    features, train_features
        Files of features of the documents and of the training documents.
    opinions
        Files of further opinions on the documents.
    wanted
        The task that the user wants; it says how opinions are read.
    """

    documents: Path
    scores: Path
    oof_scores: Path | None = None
    train_labels: Path | None = None
    columns: Columns = field(default_factory=Columns)
    none_class: str | None = None
    features: Path | None = None
    train_features: Path | None = None
    opinions: tuple[OpinionFile, ...] = ()
    wanted: WantedTask = field(default_factory=lambda: WantedTask(None))

    def prepare(self, progress: Progress) -> PreparedScores:
        """Read the scores and the training side."""
        progress("reading the scores")
        table = read_scores(self.scores)
        refuse_probabilities(table.scores, self.scores)
        own, known = self._read_features()
        features = None if own is None else own.of(table.ids, len(table.scores))
        training, train_ids = self._read_training(table.classes, known)
        classes = class_names_of(table, training)
        opinions = read_opinions_on_scores(
            self.opinions,
            ScoredDocuments(self.scores, table.ids, len(table.scores), table.classes),
            classes,
            self.wanted,
            self.columns.as_dict(),
            training,
        )
        if training is not None:
            training = training_with(training, opinions, train_ids, self.oof_scores)
        said = opinions_on(opinions, table.ids, len(table.scores))
        evidence = with_opinions(features, said)
        return PreparedScores(self, classes, training, table, evidence, train_ids or ())

    def _read_features(self) -> tuple[FeatureTable | None, FeatureTable | None]:
        """Return the features of the documents and of the training documents, where given."""
        if self.features is None:
            return None, None
        if self.train_features is None:
            return read_features(self.features, self.columns.id_column), None
        return read_both_features(self.features, self.train_features, self.columns.id_column)

    def _read_training(
        self, classes: tuple[str, ...] | None, features: FeatureTable | None
    ) -> tuple[Training | None, tuple[str, ...] | None]:
        """Return the training side and the ids of its documents, where they are known."""
        if self.oof_scores is None or self.train_labels is None:
            return None, None
        known, ids = read_training_with_ids(
            self.oof_scores,
            self.train_labels,
            classes,
            self.none_class,
            **self.columns.as_dict(),
        )
        refuse_probabilities(known.oof_scores, self.oof_scores)
        if features is None:
            return known, ids
        return replace(known, features=features.of(ids, known.n_documents)), ids


def class_names_of(table: ScoreTable, training: Training | None) -> tuple[str, ...]:
    """Return the names of the classes: of the scores, of the training side, or numbers."""
    if table.classes is not None:
        return table.classes
    n_classes = table.scores.shape[1]
    if training is None or training.class_names is None or training.n_classes != n_classes:
        return numbered_classes(n_classes)
    return tuple(str(name) for name in training.class_names)


@dataclass(frozen=True, eq=False)
class PreparedScores:
    """Scores that have been read, with the file of their documents."""

    source: ScoresSource
    classes: tuple[str, ...]
    training: Training | None
    table: ScoreTable
    features: Any = None  # of all rows of the table, or evidence with features and opinions
    train_ids: tuple[str, ...] = ()  # of the training documents, where they are known

    @property
    def train_texts(self) -> tuple[str, ...]:
        """Return no text for each training document: the texts are not known."""
        return ("",) * len(self.train_ids)

    def new_lexicon(self) -> None:
        """Return None: the words of the classifier are not known."""

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Give the documents, each with its row of the scores."""
        source = self.source
        documents = iter_unlabelled(source.documents, source.columns, faults)
        if self.table.ids is None:
            return self._in_order(documents, faults)
        return self._by_id(documents, faults, self.table.ids)

    def _by_id(
        self, blocks: Iterator[Documents], faults: Faults, ids: tuple[str, ...]
    ) -> Iterator[Block]:
        path, rows = self.source.scores, {identity: row for row, identity in enumerate(ids)}
        for documents in blocks:
            for identity in documents.ids:
                if identity not in rows:
                    faults(DataError(f"{path} must have scores of {identity!r}, but has none"))
            found = np.array([rows.get(identity, 0) for identity in documents.ids])
            yield self._block(documents, found)

    def _block(self, documents: Documents, rows: Any) -> Block:
        return Block(documents, self.table.scores[rows], rows_of(self.features, rows))

    def _in_order(self, blocks: Iterator[Documents], faults: Faults) -> Iterator[Block]:
        n_rows, end = len(self.table.scores), 0
        for documents in blocks:
            start, end = end, end + len(documents)
            if end > n_rows:
                break
            yield self._block(documents, slice(start, end))
        if end != n_rows and not faults.found:
            n = f"more than {n_rows:,}" if end > n_rows else f"{end:,}"
            raise DataError(
                f"{self.source.scores} must have a row for each document of "
                f"{self.source.documents}, but has {n_rows:,} rows for {n} documents"
            )
