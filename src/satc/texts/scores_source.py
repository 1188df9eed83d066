"""`ScoresSource`: documents with the scores of a classifier that was trained elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from satc.errors import DataError
from satc.files import Documents, ScoreTable, read_scores, read_training
from satc.files.faults import Faults
from satc.texts.columns import Columns
from satc.texts.source import Block, Progress
from satc.texts.unlabelled import iter_unlabelled
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
    """

    documents: Path
    scores: Path
    oof_scores: Path | None = None
    train_labels: Path | None = None
    columns: Columns = field(default_factory=Columns)
    none_class: str | None = None

    def prepare(self, progress: Progress) -> PreparedScores:
        """Read the scores and the training side."""
        progress("reading the scores")
        table = read_scores(self.scores)
        numbered = tuple(f"class {j + 1}" for j in range(table.scores.shape[1]))
        training = self._read_training(table.classes)
        return PreparedScores(self, table.classes or numbered, training, table)

    def _read_training(self, classes: tuple[str, ...] | None) -> Training | None:
        if self.oof_scores is None or self.train_labels is None:
            return None
        known = read_training(
            self.oof_scores,
            self.train_labels,
            classes,
            self.none_class,
            **self.columns.as_dict(),
        )
        return Training(known.oof_scores, known.labels)


@dataclass(frozen=True, eq=False)
class PreparedScores:
    """Scores that have been read, with the file of their documents."""

    source: ScoresSource
    classes: tuple[str, ...]
    training: Training | None
    table: ScoreTable

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
            yield Block(documents, self.table.scores[found], None)

    def _in_order(self, blocks: Iterator[Documents], faults: Faults) -> Iterator[Block]:
        n_rows, end = len(self.table.scores), 0
        for documents in blocks:
            start, end = end, end + len(documents)
            if end > n_rows:
                break
            yield Block(documents, self.table.scores[start:end], None)
        if end != n_rows and not faults.found:
            n = f"more than {n_rows:,}" if end > n_rows else f"{end:,}"
            raise DataError(
                f"{self.source.scores} must have a row for each document of "
                f"{self.source.documents}, but has {n_rows:,} rows for {n} documents"
            )
