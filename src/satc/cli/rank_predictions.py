"""`satc rank --predictions`: rank documents by predictions that were made elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from satc.cli.book_options import code_predictions
from satc.cli.options import ColumnOptions, RankingOptions
from satc.cli.ranked_output import Destination, shown_columns, write_ranked
from satc.cli.score_files import check_training_files
from satc.texts.wanted_task import WantedTask

if TYPE_CHECKING:
    from satc.code_book import CodeBook
    from satc.files import Documents
    from satc.ranking import Ranking
    from satc.texts.columns import Columns
    from satc.texts.predictions_source import PredictionsSource, PreparedPredictions
    from satc.texts.source import Block

_WITH_TEXTS = ("doubtful", "instead", "probability_wrong", "text")  # columns beside texts


def predictions_source(
    ranking: RankingOptions, columns: ColumnOptions, wanted: WantedTask, documents: Path | None
) -> PredictionsSource:
    """Return the source of predictions that the options describe."""
    from satc.texts.predictions_source import PredictionsSource

    check_training_files(ranking.oof_scores, ranking.train_labels)
    training = None
    if ranking.oof_scores is not None and ranking.train_labels is not None:
        training = ranking.oof_scores, ranking.train_labels
        if ranking.known is not None:
            raise typer.BadParameter("--known and --oof-scores must not be given together")
    return PredictionsSource(
        ranking.prediction_file,
        documents,
        ranking.kind,
        ranking.read_threshold(),
        ranking.classes,
        ranking.known,
        training,
        ranking.feature_file,
        ranking.train_features,
        columns.names(),
        wanted,
        ranking.opinions(),
    )


def rank_predictions(
    source: PredictionsSource, ranking: RankingOptions, seed: int, destination: Destination
) -> None:
    """Rank the documents of a source, and write them."""
    from satc.cli.cold_hint import cold_hint
    from satc.cli.decide_hint import hint
    from satc.cli.progress import steps
    from satc.cli.show import say

    with steps() as progress:
        prepared = source.prepare(progress)
        documents = predicted_documents(prepared)
        block = prepared.block(documents)
    say_predictions(prepared)
    book = code_predictions(prepared, prepared.task, ranking, ranking.read_book(ranking.classes))
    if (line := prepared.without_document(documents.ids)) is not None:
        say(line)
    with steps() as progress:
        progress(f"ranking {len(block.documents):,} documents")
        found = _ranked(prepared, block, ranking, seed, book)
    columns = _columns(prepared, block.documents, found, ranking.top, destination.as_read)
    columns = shown_columns(columns, destination, prepared.source.columns.separator, book)
    write_ranked(columns, destination, ranking.top)
    for line in (hint(found.documents), cold_hint(found.documents, ranking.decided)):
        if line is not None:
            say(line)


def say_predictions(prepared: PreparedPredictions) -> None:
    """Say in one line what the predictions are, and the task where nobody has named it."""
    from satc.cli.show import say

    say(prepared.table.describe())
    say_found_task(prepared.task, prepared.source.wanted)


def say_found_task(task: str, wanted: WantedTask) -> None:
    """Say the task of predictions, unless the user has named it."""
    from satc.cli.show import say
    from satc.inputs import SINGLE_LABEL

    if wanted.is_named:
        return
    if task == SINGLE_LABEL:
        say(
            "every prediction is of exactly one label, so each document gets exactly one: "
            "--multi-label if that is not so"
        )
    else:
        say("a document may have any number of labels: --single-label if it has exactly one")


def predicted_documents(prepared: PreparedPredictions) -> Documents:
    """Return the documents: from their file, or from the file of predictions."""
    from satc.files import Documents
    from satc.texts.unlabelled import read_unlabelled

    table, path = prepared.table, prepared.source.documents
    if path is not None:
        documents = read_unlabelled(path, prepared.source.columns)
        if table.ids is None:
            prepared.check_number(len(documents))
        return documents
    n = len(table.scores)
    ids = table.ids or tuple(map(str, range(n)))
    return Documents(ids, table.texts or ("",) * n, None, {})


def _ranked(
    prepared: PreparedPredictions,
    block: Block,
    ranking: RankingOptions,
    seed: int,
    book: CodeBook | None,
) -> Ranking:
    from satc.ranking.preparation import prepare
    from satc.ranking.ranking import ranked
    from satc.ranking.unfetched import places
    from satc.texts.source import training_arguments

    known = training_arguments(prepared.training, block.features)
    options = ranking.arguments(seed) | {"task": prepared.task}
    options["hierarchy"] = ranking.closing(book, prepared.classes)
    documents = prepare(block.scores, **known, **options)
    if prepared.table.ids is None:  # row numbers are in their order already
        return ranked(documents)
    return ranked(replace(documents, ties=places(block.documents.ids)))


def _columns(
    prepared: PreparedPredictions,
    documents: Documents,
    found: Ranking,
    top: int | None,
    shape: Columns | None,
) -> dict[str, Any]:
    """Return the table of the documents; without texts, only its first columns."""
    from satc.texts.ranked_table import ranked_columns

    columns = ranked_columns(documents, prepared.classes, found, top, shape)
    if prepared.source.documents is None and prepared.table.texts is None:
        columns = {name: columns[name] for name in columns if name not in _WITH_TEXTS}
        if prepared.table.ids is None:
            columns["document"] = list(map(int, columns["document"]))
    return columns
