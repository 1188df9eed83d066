"""Read the files of scores and labels that a command was given."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import typer

from satc.cli.option_checks import required
from satc.cli.prediction_options import FeatureOptions
from satc.inputs import Labels, Scores
from satc.texts.columns import Columns
from satc.texts.opinions.opinion_file import OpinionFile
from satc.texts.wanted_task import WantedTask


class ScoreFiles(NamedTuple):
    """Contents of the files of scores."""

    scores: Scores
    ids: tuple[str, ...] | None
    training: dict[str, Any]  # oof_scores and y_train, where given
    numbered: bool  # whether ids are numbers, and are sorted as numbers
    train_ids: tuple[str, ...] | None = None
    classes: tuple[str, ...] | None = None
    path: str | Path = ""

    @property
    def is_trained(self) -> bool:
        """Whether there is a training side."""
        return "y_train" in self.training or "training" in self.training


def read_score_files(
    scores: str | Path | None,
    oof_scores: Path | None,
    train_labels: Path | None,
    none_class: str | None = None,
    **columns: Any,
) -> ScoreFiles:
    """Read the scores and the training side; classes are matched by name where files name them."""
    from satc.files import read_scores
    from satc.files.matrices import refuse_probabilities
    from satc.files.training import read_training_with_ids

    _refuse_table(required(scores, "--scores"))
    table = read_scores(required(scores, "--scores"))
    refuse_probabilities(table.scores, scores)
    training: dict[str, Any] = {}
    train_ids = None
    check_training_files(oof_scores, train_labels)
    if oof_scores is not None and train_labels is not None:
        known, train_ids = read_training_with_ids(
            oof_scores, train_labels, table.classes, none_class, **columns
        )
        refuse_probabilities(known.oof_scores, oof_scores)
        training = {"oof_scores": known.oof_scores, "y_train": known.labels}
    return ScoreFiles(
        table.scores,
        table.ids,
        training,
        table.numbered,
        train_ids,
        table.classes,
        required(scores, "--scores"),
    )


def _refuse_table(scores: str | Path) -> None:
    """Refuse files that only --predictions takes."""
    from satc.files.formats.xlsx.positions import split_sheet

    file = split_sheet(Path(scores))[0].name.removesuffix(".gz")
    if file.endswith((".csv", ".tsv", ".xlsx", ".jsonl", ".json")):
        raise ValueError(
            f"scores must be a .npy, .npz or .parquet file, but are {str(scores)!r}: give a table "
            f"of scores as --predictions {scores} --kind scores"
        )


def read_feature_files(given: FeatureOptions, files: ScoreFiles, id_column: str) -> dict[str, Any]:
    """Read features of the documents and of the training documents, where they are given."""
    from satc.files.predictions.features import read_both_features, read_features

    features, train_features = given.features, given.train_features
    if features is None:
        if train_features is not None:
            raise typer.BadParameter("--train-features needs --features")
        return {}
    n = len(files.scores)
    if not files.training:
        if train_features is not None:
            raise typer.BadParameter("--train-features needs --oof-scores and --train-labels")
        return {"features": read_features(features, id_column).of(files.ids, n)}
    if train_features is None:
        raise typer.BadParameter("--features needs --train-features, if there is a training side")
    own, known = read_both_features(features, train_features, id_column)
    return {
        "features": own.of(files.ids, n),
        "train_features": known.of(files.train_ids, len(files.training["y_train"])),
    }


def read_opinion_files(
    opinions: tuple[OpinionFile, ...],
    files: ScoreFiles,
    wanted: WantedTask,
    columns: Columns,
    rows: Any = slice(None),
) -> dict[str, Any]:
    """Read opinions on the documents, as an argument of `satc.rank`; `rows` gives their order."""
    from satc.texts.opinions.on_scores import (
        ScoredDocuments,
        numbered_classes,
        read_opinions_on_scores,
    )
    from satc.training import Training

    if not opinions:
        return {}
    n, n_classes = files.scores.shape
    known = files.training
    training = Training(known["oof_scores"], known["y_train"]) if known else None
    scored = ScoredDocuments(files.path, files.ids, n, files.classes)
    classes = files.classes or numbered_classes(n_classes)
    read = read_opinions_on_scores(opinions, scored, classes, wanted, columns.as_dict(), training)
    given: dict[str, Any] = {}
    for one in read:
        own = one.documents.of(files.ids, n)[rows]
        given[one.name] = own
        if one.training is not None and training is not None:
            whose = "the training documents"
            given[one.name] = own, one.on_training(files.train_ids, training.n_documents, whose)
    return {"opinions": given}


def read_true_labels(
    labels: Path | None, scores: Path | None, none_class: str | None = None, **columns: Any
) -> Labels:
    """Read the true labels of the documents, in the order of the classes of the scores."""
    from satc.files import read_labels, read_scores

    given = required(labels, "--labels")
    table = read_scores(required(scores, "--scores"))
    return read_labels(given, table.classes, ids=table.ids, none_class=none_class, **columns)


def check_training_files(oof_scores: Path | None, train_labels: Path | None) -> None:
    """Refuse one of the two files of the training side without the other."""
    if (oof_scores is None) != (train_labels is None):
        raise typer.BadParameter("--oof-scores and --train-labels must be given together")
