"""`satc rank`: which documents to check first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from satc.cli import options
from satc.cli.stored import is_stored, stored_ranking, write_order

_SHOWN = 20


def rank(
    scores: options.ScoresFile = None,
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

    With --engine, or a pattern or a directory as --scores, the scores are ranked where they are
    stored; among equals the smaller id comes first.

    Example: satc rank --scores test.npy --oof-scores oof.npy --train-labels train.npz -o ranked.csv

    Example: satc rank --scores 'scores/*.parquet' --oof-scores oof.parquet --train-labels train.csv
    --engine duckdb --top 10000 -o ranked.csv
    """
    chosen = {
        "method": method,
        "measure": measure,
        "average": average,
        "random_state": seed,
    }
    if engine is None and not is_stored(scores):
        columns = _in_memory(scores, oof_scores, train_labels, chosen, top)
        _show(columns, len(columns["rank"]), output, as_json, whole=top is not None)
        return
    with stored_ranking(
        options.required(scores, "--scores"),
        oof_scores,
        train_labels,
        engine=engine or "duckdb",
        master=master,
        absent=absent,
        **chosen,
    ) as ranking:
        if top is None and output is not None:
            write_order(output, ranking)
            return
        columns = ranking.top(top or _SHOWN).to_pydict()
        n = len(columns["rank"]) if top else ranking.scores.n_documents
        _show(columns, n, output, as_json, whole=top is not None)


def _in_memory(
    scores: Path | None,
    oof_scores: Path | None,
    train_labels: Path | None,
    chosen: dict[str, Any],
    top: int | None,
) -> dict[str, list[Any]]:
    from satc.ranking import rank as rank_documents

    files = options.read_score_files(scores, oof_scores, train_labels)
    ids: Any = range(len(files.scores)) if files.ids is None else files.ids
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

    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if output is not None:
        write_columns(output, columns)
    elif as_json:
        print_json(rows)
    else:
        shown = rows if whole else rows[:_SHOWN]
        print_rows([{**row, "utility": f"{row['utility']:.6g}"} for row in shown])
        if len(shown) < n:
            complain(f"and {n - len(shown):,} more: -o FILE writes all, --top N shows more")
