"""`satc rank`: which documents to check first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from satc.cli import options
from satc.cli.stored import check_whole, is_stored, stored_ranking, write_order

if TYPE_CHECKING:
    from satc.texts.sources import LearnerSource

_SHOWN = 20
_TWO_WAYS = "either --train and --documents are needed, or --scores"


def rank(
    context: typer.Context,
    train: Annotated[
        Path | None, typer.Option(help="Labelled documents to learn from: id, text, labels.")
    ] = None,
    documents: Annotated[
        Path | None, typer.Option(help="Documents to classify and rank: id, text.")
    ] = None,
    learner: options.Learner = "svm",
    folds: options.Folds = 10,
    id_column: options.IdColumn = "id",
    text_column: options.TextColumn = "text",
    labels_column: options.LabelsColumn = "labels",
    separator: options.Separator = "|",
    scores: options.StoredScores = None,
    oof_scores: options.OofScoresFile = None,
    train_labels: options.TrainLabelsFile = None,
    method: options.Method = "contextual",
    measure: options.Measure = "f1",
    average: options.Average = "macro",
    engine: options.Engine = None,
    master: options.Master = None,
    absent: options.Absent = None,
    top: options.Top = None,
    seed: options.Seed = 0,
    output: options.Output = None,
    as_json: options.AsJson = False,
) -> None:
    """Rank documents: those whose check is expected to raise the measure most come first.

    From texts (--train and --documents), a learner is trained and cross-validated, and the output
    has the documents in their order, with the predicted labels and the class that is most worth a
    look. From scores, the output has the order alone. With --engine, or a pattern or a directory
    as --scores, the scores are ranked where they are stored; among equals the smaller id comes
    first.

    Example: satc rank --train labelled.csv --documents new.csv -o ranked.csv

    Example: satc rank --scores test.npy --oof-scores oof.npy --train-labels train.npz -o ranked.csv

    Example: satc rank --scores 'scores/*.parquet' --oof-scores oof.parquet --train-labels train.csv
    --engine duckdb --top 10000 -o ranked.csv
    """
    options.without_truth(method)
    if output is not None:
        options.refuse(context, ["as_json"], "prints: leave --output out, or name a .json file")
    chosen = {
        "method": method,
        "measure": measure,
        "average": average,
        "random_state": seed,
    }
    names = {
        "id_column": id_column,
        "text_column": text_column,
        "labels_column": labels_column,
        "separator": separator,
    }
    if train is not None or documents is not None:
        of_scores = (scores, oof_scores, train_labels, engine, master, absent)
        if train is None or documents is None or any(given is not None for given in of_scores):
            raise typer.BadParameter(_TWO_WAYS)
        from satc.texts.sources import Columns, LearnerSource

        source = LearnerSource(train, documents, learner, folds, seed, Columns(**names))
        columns = _from_texts(source, chosen, top, output, as_json)
        _show(columns, len(columns["rank"]), output, as_json, whole=top is not None)
        return
    if scores is None:
        raise typer.BadParameter(_TWO_WAYS)
    options.refuse(context, ["learner", "folds"], "needs --train and --documents")
    if engine != "spark":
        options.refuse(context, ["master"], "needs --engine spark")
    if engine is None and not is_stored(scores):
        options.refuse(context, ["absent"], "needs --engine, or stored scores")
        columns = _in_memory(scores, oof_scores, train_labels, names, chosen, top)
        _show(columns, len(columns["rank"]), output, as_json, whole=top is not None)
        return
    if top is None and output is not None:
        check_whole(output)
    with stored_ranking(
        scores,
        oof_scores,
        train_labels,
        engine=engine or "duckdb",
        master=master,
        absent=absent,
        columns=names,
        **chosen,
    ) as ranking:
        if top is None and output is not None:
            write_order(output, ranking)
            return
        columns = ranking.top(top or _SHOWN).to_pydict()
        n = len(columns["rank"]) if top else ranking.scores.n_documents
        _show(columns, n, output, as_json, whole=top is not None)


def _from_texts(
    source: LearnerSource,
    chosen: dict[str, Any],
    top: int | None,
    output: Path | None,
    as_json: bool,
) -> dict[str, list[Any]]:
    from satc.cli.show import steps
    from satc.files import read_documents
    from satc.texts.ranked_table import for_spreadsheets, for_the_screen, ranked_columns

    names = source.columns
    with steps() as progress:
        progress("reading the documents", 0, None)  # first: a fault in them costs no training
        documents = read_documents(
            source.documents,
            id_column=names.id_column,
            text_column=names.text_column,
            labels_column=None,
        )
        source.prepare(progress)
        progress(f"classifying and ranking {len(documents):,} documents", 0, None)
        ranking = source.ranked(documents, **chosen)
    columns = ranked_columns(documents, source.classes, ranking, top)
    if output is None:
        return columns if as_json else for_the_screen(columns, source.columns.separator)
    if output.suffix.lower() in (".csv", ".tsv"):
        return for_spreadsheets(columns, source.columns.separator)
    return columns


def _in_memory(
    scores: str | None,
    oof_scores: Path | None,
    train_labels: Path | None,
    names: dict[str, str],
    chosen: dict[str, Any],
    top: int | None,
) -> dict[str, list[Any]]:
    from satc.ranking import rank as rank_documents

    files = options.read_score_files(scores, oof_scores, train_labels, **names)
    ids: Any = range(len(files.scores)) if files.ids is None else files.ids
    if files.numbered:
        ids = list(map(int, ids))
    rows = sorted(range(len(ids)), key=ids.__getitem__)  # ties go by id, as where scores are stored
    ranking = rank_documents(files.scores[rows], **files.training, **chosen)
    places = ranking.order[:top].tolist()
    return {
        "rank": list(range(1, len(places) + 1)),
        "document": [ids[rows[i]] for i in places],
        "utility": [float(ranking.utility[i]) for i in places],
    }


def _show(
    columns: dict[str, list[Any]], n: int, output: Path | None, as_json: bool, *, whole: bool
) -> None:
    from satc.cli.show import complain, print_json, print_rows, write_columns

    if output is not None:
        write_columns(output, columns)
        return
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if as_json:
        print_json(rows)
    else:
        shown = rows if whole else rows[:_SHOWN]
        print_rows([{**row, "utility": f"{row['utility']:.6g}"} for row in shown])
        if len(shown) < n:
            complain(f"and {n - len(shown):,} more: -o FILE writes all, --top N shows more")
