"""Options for predictions of any kind, for further opinions, and for features of documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from satc.cli.book_options import Classes
from satc.cli.option_checks import checked, required
from satc.inputs import choice
from satc.texts.embedded.wanted import is_file_of_vectors
from satc.texts.opinions.opinion_file import OpinionFile, parse_opinion, parse_opinions
from satc.workbench.model.new_project.setting_values import read_threshold

_KINDS = ("scores", "probabilities", "logits", "labels", "votes")  # as files.predictions.KINDS


def _check_kind(kind: str | None) -> None:
    if kind is not None:
        choice(kind, dict.fromkeys(_KINDS), "kind")


def _check_opinion(text: str | None) -> None:
    if text is not None:
        parse_opinion(text)


@dataclass(frozen=True, kw_only=True)
class PredictionOptions:
    """Predictions that were made elsewhere, and documents whose true labels are known."""

    predictions: Annotated[
        str | None,  # not a path: it may be an address such as s3a://bucket/answers
        typer.Option(
            metavar="PATH",
            help="Predictions of the documents: a table in long or wide form, 'labels' or 'label' "
            "with 'confidence' or 'probabilities', columns of votes, a matrix, or suggestions of "
            "Annif.",
        ),
    ] = None
    kind: Annotated[
        str | None,
        typer.Option(
            help="Kind of the predictions: scores, probabilities, logits, labels, votes.",
            show_default="found in columns and values",
            callback=checked(_check_kind),
        ),
    ] = None
    threshold: Annotated[
        str | None,
        typer.Option(
            help="Smallest probability that is a label: a number (0.3 or 30%), or a JSON file "
            "with one for each class.",
            show_default="0.5",
        ),
    ] = None
    known: Annotated[
        Path | None,
        typer.Option(
            help="Documents with 'true_labels' or 'true_label' and with predictions, or with ids "
            "that --predictions has; they take the place of out-of-fold scores."
        ),
    ] = None
    classes: Classes = None

    @property
    def prediction_file(self) -> Path:
        """The file of --predictions."""
        return Path(required(self.predictions, "--predictions"))

    def read_threshold(self) -> Any:
        """Return the threshold, the thresholds by class, or None."""
        from satc.files.predictions import read_thresholds

        if self.threshold is None:
            return None
        try:
            number = read_threshold(self.threshold, "--threshold")
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
        return read_thresholds(self.threshold) if number is None else number


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """Features of documents, such as embeddings."""

    features: Annotated[
        str | None,  # not a path: it may be an address such as s3a://bucket/vectors
        typer.Option(
            metavar="PATH",
            help="Features of the documents, such as embeddings: .npy, .npz (dense or sparse) or "
            ".parquet.",
        ),
    ] = None
    train_features: Annotated[
        Path | None,
        typer.Option(
            help="Features of the training documents, or of those with true labels: .npy, .npz or "
            ".parquet."
        ),
    ] = None

    @property
    def feature_file(self) -> Path | None:
        """The file of --features."""
        return None if self.features is None else Path(self.features)


@dataclass(frozen=True, kw_only=True)
class OpinionOptions:
    """Further opinions on the documents."""

    opinion: Annotated[
        list[str] | None,
        typer.Option(
            help="A further opinion on the documents: NAME=FILE, a file as --predictions takes it; "
            "or NAME=FILE,FILE, with a second file of the training documents, by a classifier that "
            "was not trained on them. Repeat for several.",
            callback=checked(_check_opinion),
            metavar="NAME=FILE[,FILE]",
        ),
    ] = None

    def opinions(self) -> tuple[OpinionFile, ...]:
        """Return the files of all opinions."""
        try:
            return parse_opinions(self.opinion or ())
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None


@dataclass(frozen=True, kw_only=True)
class EmbeddingOptions:
    """Embeddings of the texts, beside a learner that is trained on words."""

    embeddings: Annotated[
        str | None,
        typer.Option(
            help="Name or folder of a sentence model, such as all-MiniLM-L6-v2, or a file of "
            "vectors of the documents, as 'satc embed' writes it: similar documents are found by "
            "vectors, and a classifier on vectors is a further opinion.",
            metavar="MODEL|FILE",
        ),
    ] = None
    train_embeddings: Annotated[
        Path | None,
        typer.Option(
            help="File of vectors of the labelled documents, if the file of --embeddings lacks "
            "them: .npy, .npz or .parquet."
        ),
    ] = None

    def vectors(self) -> dict[str, Any]:
        """Return the keyword arguments of `LearnerSource`; refuse options that do not fit."""
        if self.train_embeddings is not None:
            if self.embeddings is None:
                raise typer.BadParameter(
                    "--train-embeddings needs --embeddings, a file of vectors of the documents"
                )
            if not is_file_of_vectors(self.embeddings):
                raise typer.BadParameter(
                    "--train-embeddings is for vectors from files: a model as --embeddings makes "
                    "those of the labelled documents, too"
                )
        return {"embeddings": self.embeddings, "train_embeddings": self.train_embeddings}
