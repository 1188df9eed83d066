"""`satc rank`: which documents to check first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from satc.cli import options
from satc.cli.book_options import code_labels
from satc.cli.option_checks import (
    check_excel,
    check_trained,
    refuse,
    refuse_oracle,
    say_prior_shift,
)
from satc.cli.option_groups import with_groups
from satc.cli.options import ColumnOptions, LearnerOptions, RankingOptions, TaskOptions
from satc.cli.rank_predictions import predictions_source, rank_predictions
from satc.cli.ranked_output import SHOWN, Destination, shown_columns, write_ranked
from satc.cli.stored import check_complete_order, is_stored, stored_ranking, write_order
from satc.texts.learner_source import LearnerSource
from satc.texts.wanted_task import WantedTask

_THREE_WAYS = "either --train and --documents are needed, or --predictions, or --scores"
_FOR_PREDICTIONS = ["kind", "threshold", "known"]
_FOR_CLASSES = ["classes", "hierarchy", "closed"]
_IN_MEMORY = ["documents", "opinion", "prior_shift", "same_shape", "hierarchy", "closed"]


@with_groups
def rank(
    context: typer.Context,
    train: Annotated[
        Path | None,
        typer.Option(help="Labelled documents to learn from: id, text, and labels or label."),
    ] = None,
    documents: Annotated[
        Path | None, typer.Option(help="Documents to classify and rank: id, text.")
    ] = None,
    *,
    learning: LearnerOptions,
    columns: ColumnOptions,
    ranking: RankingOptions,
    task: TaskOptions,
    seed: options.Seed = LearnerSource.seed,
    output: options.Output = None,
    same_shape: Annotated[
        bool,
        typer.Option(
            "--same-shape",
            help="Write predicted labels in the shape of the labels that are read: with "
            "--label-columns, a column of 0 and 1 for each class; with several columns in "
            "--labels-column, one label in each.",
        ),
    ] = False,
    excel: options.Excel = False,
    as_json: options.AsJson = False,
) -> None:
    """Rank documents: first those whose check is expected to raise the measure most.

    From texts (--train and --documents), a learner is trained and cross-validated. The output has
    the documents in the order to check them, with the predicted labels and the class that is most
    worth a look. If every labelled document has exactly one label, each document gets exactly one,
    and the output names the most probable other class. By default, satc chooses the labels for
    which the expected measure is highest. With --decide sign, the learner's own labels are used.

    From predictions of any kind (--predictions), such as the labels of a language model, the output
    is the same table, where texts are given with --documents or in the file; without texts, it has
    the order and the predicted labels. Labels are those that were predicted, unless --decide
    measure is given. With --known, the method learns from documents with true labels.

    From scores, the output has only the order, for the classifier's own labels or, with --decide
    measure, for the labels that satc chooses. With --engine, or with a pattern or a directory as
    --scores, the scores are ranked where they are stored. Documents of equal utility are sorted by
    id. With --engine, or with a pattern, --predictions are ranked where they are stored, too; the
    output then has only the order.

    Example: satc rank --train labelled.csv --documents new.csv -o ranked.csv

    Example: satc rank --train 'survey.xlsx#coded' --documents 'survey.xlsx#new' -o ranked.xlsx

    Further opinions on the documents can be given: with --embeddings, that of a classifier on
    vectors of the texts; with --opinion, those of other classifiers or of a language model.

    Example: satc rank --train labelled.csv --documents new.csv --embeddings all-MiniLM-L6-v2
    --opinion llm=labels.csv -o ranked.csv

    Example: satc rank --predictions predicted.jsonl --known gold.csv -o ranked.csv

    Example: satc rank --scores test.npy --oof-scores oof.npy --train-labels train.npz -o ranked.csv

    Example: satc rank --scores 'scores/*.parquet' --oof-scores oof.parquet --train-labels train.csv
    --engine duckdb --top 10000 -o ranked.csv

    Example: satc rank --predictions 'answers/*.parquet' --known gold.csv --engine duckdb
    --top 10000 -o ranked.csv
    """
    refuse_oracle(ranking.method)
    trained = any(one is not None for one in (train, ranking.known, ranking.oof_scores))
    say_prior_shift(ranking.prior_shift, [ranking.method], [ranking.decided], trained=trained)
    if output is not None:
        refuse(context, ["as_json"], "prints: leave --output out, or name a .json file")
    check_excel(excel, output)
    destination, wanted = Destination(output, as_json, excel=excel), task.wanted()
    if same_shape:
        destination = destination.with_shape(columns)
    if ranking.engine != "spark":
        refuse(context, ["master"], "needs --engine spark")
    if ranking.predictions is not None:
        _check_predictions(context, train, ranking)
        if ranking.engine is not None or _are_stored(ranking.predictions):
            refuse(context, _IN_MEMORY, "needs predictions in memory: no --engine")
            _rank_stored(ranking, columns, wanted, seed, destination)
            return
        refuse(context, ["absent"], "needs --engine, or stored predictions")
        check_trained(ranking.method, trained, predictions=True)
        given = predictions_source(ranking, columns, wanted, documents)
        rank_predictions(given, ranking, seed, destination)
        return
    refuse(context, _FOR_PREDICTIONS, "needs --predictions")
    if train is not None or documents is not None:
        if train is None or documents is None or _any_of_scores(ranking):
            raise typer.BadParameter(_THREE_WAYS)
        refuse(context, ["features", "train_features"], "needs --scores or --predictions")
        source = learning.source(train, documents, seed, columns, wanted)
        _rank_texts(replace(source, opinions=ranking.opinions()), ranking, destination)
        return
    if ranking.scores is None:
        raise typer.BadParameter(_THREE_WAYS)
    refuse(context, ["same_shape"], "needs --train or --predictions: scores have no such output")
    _refuse_learner(context)
    refuse(context, _FOR_CLASSES, "needs --train or --predictions")
    if ranking.engine is not None or is_stored(ranking.scores):
        refuse(context, ["opinion", "prior_shift"], "needs scores in memory: no --engine")
        _rank_stored(ranking, columns, wanted, seed, destination)
        return
    refuse(context, ["absent"], "needs --engine, or stored scores")
    check_trained(ranking.method, ranking.oof_scores is not None, predictions=False)
    _rank_scores(ranking, columns, wanted, seed, destination)


def _check_predictions(context: typer.Context, train: Path | None, ranking: RankingOptions) -> None:
    """Refuse options of the other ways to rank."""
    if train is not None or ranking.scores is not None:
        raise typer.BadParameter(_THREE_WAYS)
    _refuse_learner(context)


def _are_stored(predictions: str) -> bool:
    """Whether predictions are a pattern of files or an address; a directory is one of Annif."""
    return is_stored(predictions) and not Path(predictions).exists()


def _refuse_learner(context: typer.Context) -> None:
    """Refuse options of a learner that is trained here."""
    names = ["learner", "folds", "language", "analyzer", "digits"]
    refuse(context, names, "needs --train and --documents")
    names = ["embeddings", "train_embeddings"]
    refuse(context, names, "needs --train and --documents; --features takes a file of vectors")


def _any_of_scores(ranking: RankingOptions) -> bool:
    files = (ranking.scores, ranking.oof_scores, ranking.train_labels)
    return any(given is not None for given in files) or bool(ranking.engine_arguments())


def _rank_texts(source: LearnerSource, ranking: RankingOptions, destination: Destination) -> None:
    from satc.cli.found_analysis import say_analysis
    from satc.cli.found_task import say_task
    from satc.cli.progress import steps
    from satc.texts.labelled import read_labelled
    from satc.texts.ranked_table import check_classes, ranked_columns
    from satc.texts.unlabelled import read_unlabelled

    book = ranking.read_book(ranking.classes)
    if book is not None or ranking.hierarchy is not None:
        source, book = code_labels(source, ranking, book)
    with steps() as progress:
        progress("reading the documents")  # before training, so that a fault is found at once
        documents = read_unlabelled(source.documents, source.columns)
        if destination.as_read is not None:
            labelled = source.labelled or read_labelled(source)
            check_classes(labelled.documents.classes, destination.as_read)
            source = replace(source, labelled=labelled)
        trained = source.prepare(progress)
        progress(f"classifying and ranking {len(documents):,} documents")
        closing = ranking.closing(book, trained.classes)
        found = trained.rank(documents, **ranking.arguments(source.seed), hierarchy=closing)
    say_task(trained.training.labels, trained.task, source.wanted)
    say_analysis(trained)
    shape = destination.as_read
    columns = ranked_columns(documents, trained.classes, found, ranking.top, shape)
    columns = shown_columns(columns, destination, source.columns.separator, book)
    write_ranked(columns, destination, ranking.top)


def _rank_scores(
    ranking: RankingOptions,
    columns: ColumnOptions,
    wanted: WantedTask,
    seed: int,
    destination: Destination,
) -> None:
    from satc.cli.cold_hint import cold_hint
    from satc.cli.decide_hint import hint
    from satc.cli.found_task import task_of_labels
    from satc.cli.score_files import read_feature_files, read_opinion_files, read_score_files
    from satc.cli.show import say
    from satc.files.matrices import refuse_without_signs
    from satc.ranking import rank as rank_documents

    files = read_score_files(
        ranking.scores,
        ranking.oof_scores,
        ranking.train_labels,
        wanted.none_class,
        **columns.names().as_dict(),
    )
    task = task_of_labels(ranking.train_labels, files.training.get("y_train"), wanted, columns)
    refuse_without_signs(files.scores, ranking.scores, task)
    ids: Any = range(len(files.scores)) if files.ids is None else files.ids
    if files.numbered:
        ids = list(map(int, ids))
    rows = sorted(range(len(ids)), key=ids.__getitem__)  # equal utilities: by id, as when stored
    similar = read_feature_files(ranking, files, columns.id_column)
    if "features" in similar:
        similar["features"] = similar["features"][rows]
    similar |= read_opinion_files(ranking.opinions(), files, wanted, columns.names(), rows)
    given = files.training | similar | {"task": task} | ranking.arguments(seed)
    found = rank_documents(files.scores[rows], **given)
    places = found.order[: ranking.top].tolist()
    table = {
        "rank": list(range(1, len(places) + 1)),
        "document": [ids[rows[i]] for i in places],
        "utility": [float(found.utility[i]) for i in places],
    }
    write_ranked(table, destination, ranking.top)
    for line in (hint(found.documents), cold_hint(found.documents, ranking.decided)):
        if line is not None:
            say(line)


def _rank_stored(
    ranking: RankingOptions,
    columns: ColumnOptions,
    wanted: WantedTask,
    seed: int,
    destination: Destination,
) -> None:
    from satc.cli.progress import steps

    complete = destination.path if ranking.top is None else None
    if complete is not None:
        check_complete_order(complete)
    with stored_ranking(ranking, columns, wanted, seed) as found:
        if complete is not None:
            write_order(complete, found)
            return
        with steps() as progress:
            progress("ranking")
            first = found.top(ranking.top or SHOWN).to_pydict()
        n = len(first["rank"]) if ranking.top else found.scores.n_documents
        write_ranked(first, destination, ranking.top, n)
