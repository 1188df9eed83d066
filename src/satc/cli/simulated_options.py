"""Options for documents whose true labels are known: `satc simulate` and `satc compare`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from satc.cli.options import (
    ColumnOptions,
    LabelsFile,
    OofScoresFile,
    ScoresFile,
    TaskOptions,
    TrainLabelsFile,
)
from satc.cli.prediction_options import FeatureOptions, OpinionOptions, PredictionOptions


@dataclass(frozen=True, kw_only=True)
class ScoredFiles:
    """Files of scores and of true labels."""

    scores: ScoresFile = None
    labels: LabelsFile = None
    oof_scores: OofScoresFile = None
    train_labels: TrainLabelsFile = None

    @property
    def training(self) -> tuple[Path | None, Path | None]:
        """The out-of-fold scores and the labels of the training documents."""
        return self.oof_scores, self.train_labels


@dataclass(frozen=True, kw_only=True)
class SimulatedOptions(
    TaskOptions, ColumnOptions, OpinionOptions, FeatureOptions, PredictionOptions, ScoredFiles
):
    """Scores or predictions with true labels, what else is known, and how files are read."""
