"""Options for predictions of any kind, and for features of documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from satc.cli.option_checks import checked
from satc.inputs import choice

_KINDS = ("scores", "probabilities", "logits", "labels", "votes")  # as files.predictions.KINDS


def _check_kind(kind: str | None) -> None:
    if kind is not None:
        choice(kind, dict.fromkeys(_KINDS), "kind")


@dataclass(frozen=True, kw_only=True)
class PredictionOptions:
    """Predictions that were made elsewhere, and documents whose true labels are known."""

    predictions: Annotated[
        Path | None,
        typer.Option(
            help="Predictions of the documents: a table in long or wide form, 'labels' or 'label' "
            "with 'confidence' or 'probabilities', columns of votes, or a matrix."
        ),
    ] = None
    kind: Annotated[
        str | None,
        typer.Option(
            help="Kind of the predictions: scores, probabilities, logits, labels, votes.  "
            "[default: found in columns and values]",
            callback=checked(_check_kind),
        ),
    ] = None
    threshold: Annotated[
        str | None,
        typer.Option(
            help="Smallest probability that is a label: a number (0.3 or 30%), or a JSON file "
            "with one for each class.  [default: 0.5]"
        ),
    ] = None
    known: Annotated[
        Path | None,
        typer.Option(
            help="Documents with 'true_labels' or 'true_label' and with predictions, or with ids "
            "that --predictions has; they take the place of out-of-fold scores."
        ),
    ] = None
    classes: Annotated[
        Path | None,
        typer.Option(help="Names of all classes: one per line, or a JSON list."),
    ] = None

    def read_threshold(self) -> Any:
        """Return the threshold, the thresholds by class, or None."""
        from satc.files.predictions import read_thresholds

        if self.threshold is None:
            return None
        text, percent = self.threshold.strip(), self.threshold.strip().endswith("%")
        try:
            number = float(text[:-1]) / 100.0 if percent else float(text)
        except ValueError:
            return read_thresholds(self.threshold)
        if not 0.0 < number < 1.0:
            raise typer.BadParameter(
                f"--threshold must be above 0 and below 1, but is {self.threshold}"
            )
        return number


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """Features of documents, such as embeddings."""

    features: Annotated[
        Path | None,
        typer.Option(
            help="Features of the documents, such as embeddings: .npy, .npz (dense or sparse) or "
            ".parquet."
        ),
    ] = None
    train_features: Annotated[
        Path | None,
        typer.Option(help="Features of the training documents, or of those with true labels."),
    ] = None
