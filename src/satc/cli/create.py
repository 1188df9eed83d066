"""`satc create`: from files to a project that people can work on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from satc.cli import options
from satc.cli.project import Database, need_workbench
from satc.cli.stored import files_of, is_stored


def create(
    context: typer.Context,
    project: Annotated[
        str, typer.Argument(metavar="PROJECT", help="The new file, as in claims.satc.")
    ],
    documents: Annotated[
        Path, typer.Option(help="Documents to check: id, text, and whatever else.")
    ],
    train: Annotated[
        Path | None, typer.Option(help="Labelled documents: id, text, labels.")
    ] = None,
    learner: options.Learner = "svm",
    scores: options.StoredScores = None,
    oof_scores: options.OofScoresFile = None,
    train_labels: options.TrainLabelsFile = None,
    method: options.Method = "contextual-dynamic",
    measure: options.Measure = "f1",
    average: options.Average = "macro",
    engine: options.Engine = None,
    master: options.Master = None,
    absent: options.Absent = None,
    top: Annotated[
        int | None,
        typer.Option(help="Hold the best documents of --scores, and fetch as many again.", min=1),
    ] = None,
    folds: options.Folds = 10,
    title: Annotated[str | None, typer.Option(help="What people see; else the name.")] = None,
    guidelines: Annotated[
        Path | None, typer.Option(help="A text file with the rules for labelling.")
    ] = None,
    overlap: Annotated[
        str,
        typer.Option(help="Share of documents that a second person checks too, as in 10%."),
    ] = "0",
    blind: Annotated[
        str, typer.Option(help="Share of documents whose predictions are hidden, as in 5%.")
    ] = "0",
    audit: Annotated[
        str, typer.Option(help="Share of the work that is a random audit, for 'satc certify'.")
    ] = "0",
    cap: Annotated[
        int, typer.Option(help="Labels that a document lacks at most; for 'satc certify'.", min=1)
    ] = 5,
    stop: Annotated[
        str,
        typer.Option(help="When the work may end, as in 'any(target(0.95,0.9),budget(hours=8))'."),
    ] = "",
    price: Annotated[float | None, typer.Option(help="Price of an hour of work.", min=0)] = None,
    reading_time: Annotated[
        str,
        typer.Option(help="Rank by gain per minute: 'length', or a column with minutes."),
    ] = "",
    class_weights: Annotated[
        Path | None, typer.Option(help="JSON file: how much each class matters, by name.")
    ] = None,
    error_costs: Annotated[
        str | None, typer.Option(help="Costs of a false positive and a false negative: 1,5.")
    ] = None,
    lease: Annotated[
        int, typer.Option(help="Minutes that an opened document is kept for a person.", min=1)
    ] = 30,
    id_column: options.IdColumn = "id",
    text_column: options.TextColumn = "text",
    labels_column: options.LabelsColumn = "labels",
    separator: options.Separator = "|",
    seed: options.Seed = 0,
    database: Database = None,
) -> None:
    """Train, cross-validate, classify and rank, and store all of it as a project.

    It is complete in the end, or not there at all. With --scores a classifier of your own takes the
    learner's place; with --top, scores too many to open are ranked where they are, and the project
    holds the first; it fetches more when one of those outside could be the best.

    Example: satc create claims.satc --train labelled.csv --documents new.csv --overlap 10%

    Example: satc create claims.satc --documents new.parquet --scores 'scores/*.parquet'
    --oof-scores oof.parquet --train-labels labelled.csv --top 50000
    """
    need_workbench()
    from satc.cli.show import complain
    from satc.errors import DataError
    from satc.files import read_class_weights, read_text
    from satc.texts.sources import Columns, LearnerSource, ScoresSource
    from satc.workbench.model.settings import Settings

    columns = Columns(id_column, text_column, labels_column, separator)
    source: Any
    if (train is None) == (scores is None):
        raise typer.BadParameter("either --train or --scores is needed")
    options.without_truth(method)
    if scores is None:
        options.refuse(context, ["top", "oof_scores", "train_labels"], "needs --scores")
    else:
        options.refuse(context, ["learner", "folds"], "needs --train")
    if top is None:
        options.refuse(context, ["engine", "master", "absent"], "needs --top")
        if is_stored(scores):
            raise typer.BadParameter(f"stored scores need --top, but --scores is {scores}")
    elif engine != "spark":
        options.refuse(context, ["master"], "needs --engine spark")
    settings = Settings(
        title=title or Path(project).stem,
        guidelines="" if guidelines is None else read_text(guidelines),
        method=method,
        measure=measure,
        average=average,
        seed=seed,
        overlap=options.share(overlap, "--overlap"),
        blind=options.share(blind, "--blind"),
        lease_seconds=60 * lease,
        learner=learner if train is not None else "",
        id_column=id_column,
        text_column=text_column,
        audit=options.share(audit, "--audit"),
        cap=cap,
        stop=options.rule(stop),
        price=price,
        reading=reading_time,
        error_costs=_checked_costs(error_costs),
    )
    weights = None if class_weights is None else read_class_weights(class_weights)
    if train is not None:
        source = LearnerSource(train, documents, learner, folds, seed, columns)
    else:
        if (oof_scores is None) != (train_labels is None):
            raise typer.BadParameter("--oof-scores and --train-labels must be given together")
        given = options.required(scores, "--scores")
        if top is None:
            source = ScoresSource(documents, Path(given), oof_scores, train_labels, columns)
        else:
            if settings.audit or settings.reading:
                name = "--audit" if settings.audit else "--reading-time"
                raise typer.BadParameter(f"{name} needs all documents at hand: leave --top out")
            source = _top_source(
                settings,
                documents,
                given,
                oof_scores,
                train_labels,
                weights,
                size=top,
                engine=engine or "duckdb",
                master=master,
                absent=absent,
                labels_column=labels_column,
                separator=separator,
            )
    opened = None if scores is None or top is not None else Path(scores)
    for path in (documents, train, opened, oof_scores, train_labels):
        if path is not None and not path.exists():  # before minutes are spent on training
            raise DataError(f"{path} must be there, but is not")
    n = _create(project, database, source, settings, documents, weights)
    where = project if database is None else f"{project} --database ..."
    typer.echo(f"{project}: {n:,} documents are ready. Start with: satc serve {where}")
    if train is not None:
        names = source.classes
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        complain(f"{len(names):,} classes: {shown}")


def _top_source(
    settings: Any,
    documents: Path,
    scores: str,
    oof_scores: Path | None,
    train_labels: Path | None,
    weights: dict[str, float] | None,
    **stored: Any,
) -> Any:
    from satc.workbench.model.subset_origin import SubsetOrigin
    from satc.workbench.project.best_part import TopSource

    if oof_scores is None or train_labels is None:
        raise typer.BadParameter("stored scores need --oof-scores and --train-labels")
    files = files_of(scores)
    if "://" not in files:  # the server may be started elsewhere
        files = str(Path(files).absolute())
    whole = SubsetOrigin(str(documents.absolute()), files, **stored)
    return TopSource(whole, oof_scores, train_labels, settings, weights)


def _create(
    project: str,
    database: str | None,
    source: Any,
    settings: Any,
    documents: Path,
    weights: dict[str, float] | None,
) -> int:
    from satc.cli.show import complain, steps
    from satc.files.faults import BadRowsError
    from satc.workbench.project import creation
    from satc.workbench.store import open_store

    try:
        with steps() as progress:
            if database is None:
                return creation.create_file(
                    Path(project), source, settings, documents, progress, weights
                )
            store = open_store(database, new=True)
            try:
                return creation.create(
                    store, project, source, settings, documents, progress, weights
                )
            finally:
                store.close()
    except BadRowsError as error:
        for fault in error.faults:
            complain(fault)
        complain(f"{len(error.faults):,} rows cannot be used, so nothing was created: mend them")
        raise typer.Exit(1) from None


def _checked_costs(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        fp, fn = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"--error-costs must be two numbers such as 1,5, but is {text!r}"
        ) from None
    return fp, fn
