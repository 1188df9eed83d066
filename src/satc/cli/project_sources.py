"""Where the scores of a new project come from: one function for each kind of source.

Each function checks the options that only its source has, and that the files exist, before anything
is trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from satc.cli.option_checks import (
    check_trained,
    is_given,
    option_name,
    refuse,
    refuse_oracle,
    required,
    say_prior_shift,
)
from satc.cli.options import ColumnOptions, LearnerOptions, RankingOptions
from satc.cli.score_files import check_training_files
from satc.cli.stored import files_of, is_stored
from satc.errors import DataError
from satc.texts.learner_source import LearnerSource
from satc.texts.opinions.opinion_file import OpinionFile
from satc.texts.wanted_task import WantedTask
from satc.workbench.model.new_project.source_parts import ALL_PARTS, check_parts
from satc.workbench.model.settings import Settings

if TYPE_CHECKING:
    from satc.texts.scores_source import ScoresSource
    from satc.workbench.project.best_part import BestPartSource


def check_source_options(
    context: typer.Context, train: Path | None, ranking: RankingOptions
) -> None:
    """Refuse options that do not go together."""
    given = {name for name in ALL_PARTS if is_given(context, name)}
    try:
        check_parts(given, option_name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    refuse_oracle(ranking.method)
    trained = any(one is not None for one in (train, ranking.known, ranking.oof_scores))
    if train is None and ranking.top is None:
        check_trained(ranking.method, trained, predictions=ranking.predictions is not None)
    if ranking.top is not None:
        names = ["features", "train_features", "opinion", "closed", "prior_shift"]
        refuse(context, names, "needs all documents: leave --top out")
    say_prior_shift(ranking.prior_shift, [ranking.method], [ranking.decided], trained=trained)
    if ranking.top is None:
        refuse(context, ["engine", "master", "absent"], "needs --top")
        if is_stored(ranking.scores):
            raise typer.BadParameter(f"stored scores need --top, but --scores is {ranking.scores}")
    elif ranking.engine != "spark":
        refuse(context, ["master"], "needs --engine spark")


def documents_of(documents: Path | None, predictions: str | None) -> Path:
    """Return the file of documents, or the folder of Annif, which has texts and suggestions."""
    if documents is None and predictions is not None and Path(predictions).is_dir():
        return Path(predictions)
    return required(documents, "--documents")


def learner_source(
    documents: Path,
    train: Path,
    learning: LearnerOptions,
    seed: int,
    columns: ColumnOptions,
    wanted: WantedTask,
    opinions: tuple[OpinionFile, ...] = (),
) -> LearnerSource:
    """Return a source that trains a learner; the labelled documents have been read."""
    from satc.texts.labelled import read_labelled

    _check_files(documents, train, learning.train_embeddings)
    _check_opinions(opinions)
    source = learning.source(train, documents, seed, columns, wanted)
    return replace(source, opinions=opinions, labelled=read_labelled(source))


def scores_source(
    documents: Path, ranking: RankingOptions, columns: ColumnOptions, wanted: WantedTask
) -> ScoresSource:
    """Return a source that reads all scores into memory."""
    from satc.texts.scores_source import ScoresSource

    scores = Path(required(ranking.scores, "--scores"))
    _check_files(documents, scores, ranking.oof_scores, ranking.train_labels)
    _check_files(ranking.feature_file, ranking.train_features)
    _check_opinions(ranking.opinions())
    return ScoresSource(
        documents,
        scores,
        ranking.oof_scores,
        ranking.train_labels,
        columns.names(),
        wanted.none_class,
        ranking.feature_file,
        ranking.train_features,
        ranking.opinions(),
        wanted,
    )


def best_part_source(
    documents: Path,
    size: int,
    ranking: RankingOptions,
    columns: ColumnOptions,
    settings: Settings,
    weights: Mapping[str, float] | None,
    none_class: str | None,
) -> BestPartSource:
    """Return a source that ranks stored scores, and takes the first `size` documents."""
    from satc.workbench.model.subset_origin import SubsetOrigin
    from satc.workbench.project.best_part import BestPartSource

    check_training_files(ranking.oof_scores, ranking.train_labels)
    if settings.audit or settings.reading:
        name = "--audit" if settings.audit else "--reading-time"
        raise typer.BadParameter(f"{name} needs all documents in the project: leave --top out")
    if ranking.oof_scores is None or ranking.train_labels is None:
        raise typer.BadParameter("stored scores need --oof-scores and --train-labels")
    _check_files(documents, ranking.oof_scores, ranking.train_labels)
    origin = SubsetOrigin(
        str(documents.absolute()),
        _absolute(files_of(required(ranking.scores, "--scores"))),
        size,
        labels_column=columns.labels_column,
        separator=columns.separator,
        label_columns=columns.names().label_columns,
        **ranking.engine_arguments(),
    )
    return BestPartSource(
        origin, ranking.oof_scores, ranking.train_labels, settings, weights, none_class
    )


def _absolute(files: str) -> str:
    """Return a pattern of files that is valid from any folder: the server may start elsewhere."""
    return files if "://" in files else str(Path(files).absolute())


def _check_opinions(opinions: tuple[OpinionFile, ...]) -> None:
    """Refuse opinions whose files do not exist."""
    for one in opinions:
        _check_files(one.documents, one.training)


def _check_files(*paths: Path | None) -> None:
    """Refuse files that do not exist, before minutes are spent on training."""
    from satc.files.formats.xlsx.positions import split_sheet

    for path in paths:
        if path is not None and not split_sheet(path)[0].exists():
            raise DataError(f"{path} must exist, but does not")
