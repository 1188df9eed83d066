"""`satc create`: from files to a project that people can work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options, project_sources
from satc.cli.book_options import code_labels, code_predictions, column_codes
from satc.cli.found_analysis import SayingSource
from satc.cli.option_groups import with_groups
from satc.cli.project import Database, name_in, need_workbench, open_store_of
from satc.cli.project_options import ProjectOptions, ProjectRankingOptions, read_settings
from satc.cli.rank_predictions import predictions_source
from satc.texts.learner_source import LearnerSource
from satc.texts.wanted_task import WantedTask
from satc.workbench.model.settings import Settings

if TYPE_CHECKING:
    from satc.code_book import CodeBook
    from satc.ranking.documents import RankedDocuments
    from satc.texts.predictions_source import PredictionsSource
    from satc.texts.scores_source import ScoresSource
    from satc.texts.source import ReadySource, Source


@with_groups
def create(
    context: typer.Context,
    project: Annotated[
        str, typer.Argument(metavar="PROJECT", help="The new file, as in claims.satc.")
    ],
    documents: Annotated[
        Path | None,
        typer.Option(
            help="Documents to check: id, text, and any other columns; or a folder of *.txt. It is "
            "needed, unless --predictions is a folder of Annif, which has the texts."
        ),
    ] = None,
    train: Annotated[
        Path | None, typer.Option(help="Labelled documents: id, text, and labels or label.")
    ] = None,
    *,
    learning: options.LearnerOptions,
    ranking: ProjectRankingOptions,
    work: ProjectOptions,
    columns: options.ColumnOptions,
    task: options.TaskOptions,
    seed: options.Seed = Settings.seed,
    database: Database = None,
) -> None:
    """Train, cross-validate, classify and rank, and store the result as a project.

    The project is complete at the end, or is not there at all. With --predictions, labels of any
    kind that were made elsewhere replace the learner, and the documents of --known are not checked
    again. With --scores, it is your own classifier. With --top, scores that are too many for memory
    are ranked where they are stored, and the project holds the first documents; it fetches more
    when one of the others could be the best. If every labelled document has exactly one label,
    people choose exactly one label for each document.

    Example: satc create claims.satc --train labelled.csv --documents new.csv --overlap 10%

    Further opinions on the documents can be given: with --embeddings, that of a classifier on
    vectors of the texts; with --opinion, those of other classifiers or of a language model.

    Example: satc create claims.satc --train labelled.csv --documents new.csv --learner
    words+embeddings

    With --classes, people see the names of a code book, and its tree if the classes have parents.

    Example: satc create claims.satc --train labelled.csv --documents new.csv --classes book.csv
    --closed

    Example: satc create claims.satc --documents new.csv --predictions predicted.jsonl --known
    gold.csv

    Example: satc create index.satc --predictions folder_of_annif/ --known gold.csv

    Example: satc create claims.satc --documents new.parquet --scores 'scores/*.parquet'
    --oof-scores oof.parquet --train-labels labelled.csv --top 50000
    """
    need_workbench()
    documents = project_sources.documents_of(documents, ranking.predictions)
    project_sources.check_source_options(context, train, ranking)
    made_by = learning.names() if train is not None else ""
    settings = _settings(project, made_by, ranking, work, columns, seed)
    weights, wanted = work.read_class_weights(), task.wanted()
    book = ranking.read_book(ranking.classes)
    source: Source
    if train is not None:
        source = project_sources.learner_source(
            documents, train, learning, seed, columns, wanted, ranking.opinions()
        )
        source, book = code_labels(source, ranking, book)
        settings = replace(settings, task=_learnt_task(source, wanted))
        source = SayingSource(source)
    elif ranking.predictions is not None:
        given = predictions_source(ranking, columns, wanted, documents)
        source, found = _read_predictions(given)
        book = code_predictions(source.prepared, found, ranking, book)
        settings = replace(settings, task=found)
    elif ranking.top is None:
        given_scores = project_sources.scores_source(documents, ranking, columns, wanted)
        source, found = _read_scores(given_scores, ranking, wanted, columns, book)
        book = code_predictions(source.prepared, found, ranking, book)
        settings = replace(settings, task=found)
    else:
        part = project_sources.best_part_source(
            documents, ranking.top, ranking, columns, settings, weights, wanted.none_class
        )
        settings = replace(settings, task=_task_of_files(ranking, wanted, columns))
        source = replace(part, settings=settings)
    made = _store(project, database, source, settings, documents, weights, book)
    n = len(made.scores)
    where = project if database is None else f"{project} --database ..."
    typer.echo(f"{project}: {n:,} documents are ready. Start with: satc serve {where}")
    if train is not None:
        _say_classes(project, database)
    elif ranking.top is None:  # the best part says little about the larger set
        _say_what_choosing_brings(made)
    if made.model.is_cold and not settings.audit:
        _say_unknown_accuracy()


def _read_predictions(source: PredictionsSource) -> tuple[ReadySource, str]:
    """Read predictions and known labels once, say what they are, and return their task."""
    from satc.cli.progress import steps
    from satc.cli.rank_predictions import say_predictions
    from satc.texts.source import ReadySource

    with steps() as progress:
        prepared = source.prepare(progress)
    say_predictions(prepared)
    return ReadySource(prepared), prepared.task


def _read_scores(
    source: ScoresSource,
    ranking: ProjectRankingOptions,
    wanted: WantedTask,
    columns: options.ColumnOptions,
    book: CodeBook | None,
) -> tuple[ReadySource, str]:
    """Read scores and training labels once, and return their task, which is said.

    The codes of the book name the columns of scores that have no names.
    """
    from satc.cli.found_task import task_of_labels
    from satc.cli.progress import steps
    from satc.files.matrices import refuse_without_signs
    from satc.texts.source import ReadySource

    with steps() as progress:
        prepared = source.prepare(progress)
    labels = None if prepared.training is None else prepared.training.labels
    task = task_of_labels(ranking.train_labels, labels, wanted, columns)
    refuse_without_signs(prepared.table.scores, ranking.scores, task)
    if book is not None and prepared.table.classes is None:
        prepared = replace(prepared, classes=column_codes(book, len(prepared.classes)))
    return ReadySource(prepared), task


def _learnt_task(source: LearnerSource, wanted: WantedTask) -> str:
    """Return the task of the labelled documents, and say it."""
    from satc.cli.found_task import say_task
    from satc.texts.labelled import read_labelled

    labelled = source.labelled or read_labelled(source)
    say_task(labelled.labels, labelled.task, wanted)
    return labelled.task


def _task_of_files(
    ranking: ProjectRankingOptions, wanted: WantedTask, columns: options.ColumnOptions
) -> str:
    """Return the task of the labels that were given with scores, and say it."""
    from satc.cli.found_task import task_of_files

    return task_of_files(ranking.oof_scores, ranking.train_labels, wanted, columns)


def _settings(
    project: str,
    learner: str,
    ranking: ProjectRankingOptions,
    work: ProjectOptions,
    columns: options.ColumnOptions,
    seed: int,
) -> Settings:
    given = vars(work) | {"title": work.title or Path(project).stem, "class_weights": None}
    return Settings(
        method=ranking.method,
        measure=ranking.measure,
        average=ranking.average,
        decide=ranking.decided,
        prior_shift=ranking.prior_shift,
        seed=seed,
        learner=learner,
        closed=ranking.closed,
        id_column=columns.id_column,
        text_column=columns.text_column,
        **read_settings(given),
    )


def _store(
    project: str,
    database: str | None,
    source: Source,
    settings: Settings,
    documents: Path,
    weights: Mapping[str, float] | None,
    book: CodeBook | None,
) -> RankedDocuments:
    """Create the project in a file or in the database; return its ranked documents."""
    from satc.cli.progress import steps
    from satc.cli.show import say_faults
    from satc.files.faults import BadRowsError
    from satc.workbench.project import creation
    from satc.workbench.store import open_store

    try:
        with steps() as progress:
            if database is None:
                return creation.create_file(
                    Path(project), source, settings, documents, progress, weights, book
                )
            store = open_store(database, new=True)
            try:
                return creation.create(
                    store, project, source, settings, documents, progress, weights, book
                )
            finally:
                store.close()
    except BadRowsError as error:
        say_faults(error, "so nothing was created: ")
        raise typer.Exit(1) from None


def _say_what_choosing_brings(documents: RankedDocuments) -> None:
    """Say what labels chosen for the measure would bring, where they would bring anything."""
    from satc.cli.decide_hint import hint
    from satc.cli.show import say

    if (said := hint(documents)) is not None:
        say(said)


def _say_unknown_accuracy() -> None:
    """Say that accuracy cannot be estimated: no label is known, and no random documents come."""
    from satc.cli.show import say

    say("the accuracy will not be known without random documents: --audit 20% mixes them in")


def _say_classes(project: str, database: str | None) -> None:
    """Name the first classes, so that a wrong separator is seen at once."""
    from satc.cli.show import say

    with open_store_of(project, database) as store:
        from satc.workbench.store.projects import get_project

        names = get_project(store, name_in(project, database)).classes
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    say(f"{len(names):,} classes: {shown}")
