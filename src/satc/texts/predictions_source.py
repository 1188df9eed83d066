"""`PredictionsSource`: documents with predictions of any kind, made elsewhere.

True labels of some documents may be known (`known`). These documents are not among those to check;
their predictions and true labels are the training side.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from satc.calibration.evidence import rows_of
from satc.errors import DataError, SatcWarning
from satc.files import Documents
from satc.files.faults import Faults, OnFault, raise_fault
from satc.files.predictions import (
    PredictionSet,
    PredictionTable,
    read_classes,
    read_prediction_set,
    read_with_matrices,
)
from satc.texts.columns import Columns
from satc.texts.opinions.evidence import opinions_on, training_with, with_opinions
from satc.texts.opinions.opinion_file import OpinionFile
from satc.texts.opinions.reading import read_opinions
from satc.texts.predicted_features import features_of
from satc.texts.source import Block, Progress
from satc.texts.unlabelled import iter_unlabelled
from satc.texts.wanted_task import WantedTask
from satc.training import Training


@dataclass(frozen=True)
class PredictionsSource:
    """Read predictions of documents from a file.

    Attributes
    ----------
    predictions
        The file of predictions, as `satc.files.predictions.read_predictions` takes it.
    documents
        File of documents; None if the file of predictions has their texts, or if there are none.
    kind, threshold
        As for `read_predictions`.
    classes
        File with the names of all classes.
    known
        File of documents with true labels.
    training
        Files of out-of-fold predictions and of true labels; with `known`, None.
    features, train_features
        Files of features of the documents, and of the known documents.
    columns, wanted
        Names of the columns in all files, and the task that the user wants.
    document_columns
        Names of the columns in the file of documents, if they differ from `columns`.
    opinions
        Files of further opinions on the documents.
    """

    predictions: Path
    documents: Path | None = None
    kind: str | None = None
    threshold: Any = None
    classes: Path | None = None
    known: Path | None = None
    training: tuple[Path, Path] | None = None
    features: Path | None = None
    train_features: Path | None = None
    columns: Columns = field(default_factory=Columns)
    wanted: WantedTask = field(default_factory=lambda: WantedTask(None))
    opinions: tuple[OpinionFile, ...] = ()
    document_columns: Columns | None = None

    @property
    def of_documents(self) -> Columns:
        """Names of the columns in the file of documents."""
        return self.document_columns or self.columns

    def prepare(self, progress: Progress) -> PreparedPredictions:
        """Read the predictions and what is known."""
        progress("reading the predictions")
        found = self._read()
        if self.features is not None:
            progress("reading the features")
        elif found.table.texts is not None or self.documents is not None:
            progress("counting words")
        own, known = features_of(self, found)
        training = found.training
        if training is not None:
            training = replace(training, features=known)
            own = own if known is not None else None
        return self._with_opinions(PreparedPredictions(self, found, training, own))

    def _with_opinions(self, prepared: PreparedPredictions) -> PreparedPredictions:
        """Read the opinions, and put them beside the features and the training side."""
        table, training = prepared.table, prepared.training
        opinions = read_opinions(
            self.opinions,
            prepared.classes,
            self.wanted,
            prepared.task,
            self.columns.as_dict(),
            trained=training is not None,
        )
        n = len(table.scores)
        for one in opinions:
            one.check(table.ids, n, table.path)
        if training is not None:
            whose = self.known or (self.training or (table.path,))[0]
            training = training_with(training, opinions, prepared.found.train_ids, whose)
        known = with_opinions(prepared.features, opinions_on(opinions, table.ids, n))
        return replace(prepared, training=training, features=known)

    def _read(self) -> PredictionSet:
        classes = None if self.classes is None else read_classes(self.classes)
        given: dict[str, Any] = {
            "kind": self.kind,
            "threshold": self.threshold,
            "task": self.wanted.task,
            "none_class": self.wanted.none_class,
            "classes": classes,
            **self.columns.as_dict(),
        }
        if self.training is not None:
            return read_with_matrices(self.predictions, *self.training, **given)
        return read_prediction_set(self.predictions, known=self.known, **given)


@dataclass(frozen=True, eq=False)
class PreparedPredictions:
    """Predictions that have been read, with the file of their documents.

    `features` are those of all rows of the predictions, evidence with features and opinions, or
    None.
    """

    source: PredictionsSource
    found: PredictionSet
    training: Training | None
    features: Any

    @property
    def table(self) -> PredictionTable:
        """The predictions of all documents."""
        return self.found.table

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.table.classes

    @property
    def task(self) -> str:
        """The task that was found or wanted."""
        return self.table.task

    @property
    def train_ids(self) -> tuple[str, ...]:
        """Ids of the known documents; "" where they are not known."""
        known = self.found.known
        return self.found.train_ids or (known and known.ids) or self._unknown

    @property
    def train_texts(self) -> tuple[str, ...]:
        """Texts of the known documents; "" where they are not known."""
        known = self.found.known
        return (known and known.texts) or self._unknown

    @property
    def _unknown(self) -> tuple[str, ...]:
        return ("",) * (0 if self.training is None else self.training.n_documents)

    def new_lexicon(self) -> None:
        """Return None: the words of the classifier are not known."""

    def blocks(self, faults: Faults) -> Iterator[Block]:
        """Give the documents that are to be checked, each with its scores."""
        if self.source.documents is None:
            raise ValueError("documents must be given to read their texts, but are None")
        start = given = 0
        seen: set[str] = set()
        for documents in iter_unlabelled(self.source.documents, self.source.of_documents, faults):
            block = self.block(documents, start, faults)
            start += len(documents)
            seen.update(documents.ids)
            if len(block.documents):
                given += len(block.documents)
                yield block
        if self.table.ids is None and not faults.found:
            self.check_number(start)
        if not given and not faults.found:
            raise DataError(
                f"{self.source.documents} must have documents to check, but the true labels of all "
                "are known"
            )
        if not faults.found and (line := self.without_document(seen)) is not None:
            warnings.warn(line, SatcWarning, stacklevel=2)

    def without_document(self, ids: Collection[str]) -> str | None:
        """Say how many predictions are of no document with one of these ids; None if none are."""
        if self.table.ids is None:
            return None
        given = set(ids)
        own = [one for one, k in zip(self.table.ids, self.found.unknown, strict=True) if k]
        n = sum(one not in given for one in own)
        if not n:
            return None
        return (
            f"{n:,} of {len(own):,} predictions in {self.table.path} have no document in "
            f"{self.source.documents}, and are left out"
        )

    def block(self, documents: Documents, start: int = 0, on_fault: OnFault = raise_fault) -> Block:
        """Return documents with their scores, without those whose true labels are known.

        Without ids of predictions, the first document has the row `start`.
        """
        rows = self._rows(documents, start, on_fault)
        kept = [k for k, row in enumerate(rows) if row is not None and self.found.unknown[row]]
        chosen = np.array([rows[k] for k in kept], dtype=np.intp)
        features = rows_of(self.features, chosen)
        return Block(documents.at(kept), self.table.scores[chosen], features)

    def _rows(self, documents: Documents, start: int, on_fault: OnFault) -> list[int | None]:
        """Return the row of each document among the predictions."""
        if self.table.ids is None:
            if start + len(documents) > len(self.table.scores):
                self.check_number(start + len(documents))
            return list(range(start, start + len(documents)))
        place = {identity: row for row, identity in enumerate(self.table.ids)}
        own = set(self.found.known.ids or ()) if self.found.known is not None else set()
        for identity in documents.ids:
            if identity not in place and identity not in own:
                path = self.table.path
                on_fault(DataError(f"{path} must have a prediction of {identity!r}, but has none"))
        return [place.get(identity) for identity in documents.ids]

    def check_number(self, n_documents: int) -> None:
        """Refuse predictions without ids that are not as many as the documents."""
        n_rows = len(self.table.scores)
        if n_documents != n_rows:
            raise DataError(
                f"{self.table.path} has no ids, so it must have a row for each document of "
                f"{self.source.documents}, but has {n_rows:,} rows"
            )
