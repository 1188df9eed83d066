"""From the files and fields of an upload to the source of a new project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from satc.code_book import CodeBook
from satc.files import read_class_weights
from satc.texts.predictions_source import PredictionsSource
from satc.texts.scores_source import ScoresSource
from satc.texts.source import Source
from satc.workbench.web.api.routes.upload.book_fields import BookFields
from satc.workbench.web.api.routes.upload.column_fields import ColumnFields
from satc.workbench.web.api.routes.upload.learner_fields import LearnerFields
from satc.workbench.web.api.routes.upload.prediction_fields import PredictionFields
from satc.workbench.web.api.routes.upload.ranking_fields import RankingFields


@dataclass(frozen=True)
class SourceFields:
    """All fields that say how the files are read."""

    columns: ColumnFields
    learning: LearnerFields
    predicted: PredictionFields
    ranking: RankingFields
    book: BookFields
    seed: int

    def source(self, paths: dict[str, Path], folder: Path) -> Source:
        """Read what must be read first, and return the source."""
        if "train" in paths:
            columns = self.columns.of_documents(), self.columns.of_others()
            opinions = self.predicted.opinions(paths)
            wanted = self.ranking.wanted()
            source = self.learning.source(paths, columns, wanted, self.seed, opinions)
            return self.book.coded(source, paths)
        if "predictions" in paths:
            return self._predictions(paths, folder)
        return self._scores(paths)

    def _predictions(self, paths: dict[str, Path], folder: Path) -> PredictionsSource:
        trained = "oof_scores" in paths
        return PredictionsSource(
            paths["predictions"],
            paths["documents"],
            self.predicted.kind,
            self.predicted.read_threshold(),
            classes=paths.get("classes") or self.predicted.classes_file(folder),
            known=paths.get("known"),
            training=(paths["oof_scores"], paths["train_labels"]) if trained else None,
            features=paths.get("features"),
            train_features=paths.get("train_features"),
            columns=self.columns.of_others(),
            wanted=self.ranking.wanted(),
            opinions=self.predicted.opinions(paths),
            document_columns=self.columns.of_documents(),
        )

    def _scores(self, paths: dict[str, Path]) -> ScoresSource:
        wanted = self.ranking.wanted()
        return ScoresSource(
            paths["documents"],
            paths["scores"],
            paths.get("oof_scores"),
            paths.get("train_labels"),
            self.columns.of_documents(),
            wanted.none_class,
            paths.get("features"),
            paths.get("train_features"),
            self.predicted.opinions(paths),
            wanted,
        )


@dataclass(frozen=True)
class UploadedFiles:
    """The files of an upload in a folder, and the fields that say how they are read.

    It is sent to the process that creates the project (`Recipe`).
    """

    fields: SourceFields
    paths: dict[str, Path]
    folder: Path

    @property
    def documents(self) -> Path:
        """The file with the documents."""
        return self.paths["documents"]

    def source(self) -> Source:
        """Read what must be read first, and return the source."""
        return self.fields.source(self.paths, self.folder)

    def book(self, classes: Sequence[str]) -> CodeBook | None:
        """Read the code book, if there is one."""
        return self.fields.book.read(self.paths, classes)

    def weights(self) -> Mapping[str, float] | None:
        """Read the weights of the classes, if there are any."""
        path = self.paths.get("class_weights")
        return None if path is None else read_class_weights(path)
