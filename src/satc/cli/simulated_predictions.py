"""Read predictions and true labels for `satc simulate` and `satc compare --predictions`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from satc.cli.option_checks import required
from satc.cli.score_files import ScoreFiles, check_training_files
from satc.texts.wanted_task import WantedTask

if TYPE_CHECKING:
    from satc.cli.simulated_options import SimulatedOptions
    from satc.inputs import Labels
    from satc.texts.predictions_source import PredictionsSource, PreparedPredictions


def read_simulated_predictions(given: SimulatedOptions) -> tuple[ScoreFiles, Labels, str]:
    """Return scores and training side, true labels, and the task, which is said.

    Each document has one label only if predictions and true labels agree on that.
    """
    from satc.calibration.evidence import rows_of
    from satc.cli.progress import steps
    from satc.cli.rank_predictions import say_predictions
    from satc.files.tasks import find_task, suggested_task
    from satc.inputs import MULTI_LABEL, SINGLE_LABEL
    from satc.texts.source import training_arguments

    wanted, columns = given.wanted(), given.names()
    path = required(given.labels, "--labels")
    source = replace(_source(given, wanted), opinions=given.opinions(), columns=columns)
    with steps() as progress:
        prepared = source.prepare(progress)
        truth = _truth(prepared, path, wanted)
        several = not wanted.is_named and suggested_task(truth) == MULTI_LABEL
        if prepared.task == SINGLE_LABEL and several:
            prepared = replace(source, wanted=WantedTask(MULTI_LABEL)).prepare(progress)
    say_predictions(prepared)
    find_task(path, truth, prepared.task, wanted.none_class, **columns.as_dict())
    table, unknown = prepared.table, prepared.found.unknown
    features = rows_of(prepared.features, unknown.nonzero()[0])
    side = training_arguments(prepared.training, features)
    return ScoreFiles(table.scores[unknown], table.ids, side, False), truth, prepared.task


def _source(given: SimulatedOptions, wanted: WantedTask) -> PredictionsSource:
    from satc.texts.predictions_source import PredictionsSource

    oof, labels = given.training
    check_training_files(oof, labels)
    if oof is not None and given.known is not None:
        raise typer.BadParameter("--known and --oof-scores must not be given together")
    return PredictionsSource(
        given.prediction_file,
        kind=given.kind,
        threshold=given.read_threshold(),
        classes=given.classes,
        known=given.known,
        training=None if oof is None or labels is None else (oof, labels),
        features=given.feature_file,
        train_features=given.train_features,
        wanted=wanted,
    )


def _truth(prepared: PreparedPredictions, path: Path, wanted: WantedTask) -> Labels:
    """Return the true labels of the documents that are simulated."""
    from satc.errors import DataError
    from satc.files import read_labels
    from satc.files.matrices import UnknownLabelError

    table, unknown = prepared.table, prepared.found.unknown
    ids = None if table.ids is None else [table.ids[i] for i in unknown.nonzero()[0]]
    try:
        truth = read_labels(
            path,
            table.classes,
            ids=ids,
            none_class=wanted.none_class,
            **prepared.source.columns.as_dict(),
        )
    except UnknownLabelError as error:
        raise DataError(
            f"{error} of {table.path}: --classes FILE names all classes, also those that were "
            "never predicted"
        ) from error
    if ids is not None and path.suffix in (".npy", ".npz") and len(truth) == len(unknown):
        truth = truth[unknown]
    if len(truth) != unknown.sum():
        raise DataError(
            f"{path} must have the {unknown.sum():,} documents of {table.path}, but has "
            f"{len(truth):,}"
        )
    return truth
